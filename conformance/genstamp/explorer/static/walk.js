"use strict";
// The run that the page shows, where in it the reader is, and the keys that move the reader.

const about = JSON.parse(byId("about").textContent);
const walk = { run: about.run, at: 0, panel: "possible", filter: "" };

function begin(run, at) {
  walk.run = run;
  // A small state is shown whole, of a large one only what differs from the beginning.
  about.folds ??= run.moments[0].cards.reduce((sum, card) => sum + card.rows.length, 0) > 24;
  goTo(at);
}

function goTo(number) {
  walk.at = Math.max(0, Math.min(number, walk.run.moments.length - 1));
  walk.filter = "";
  show();
}

function show() {
  const wasInList = byId("listed").contains(document.activeElement);
  showRun();
  showMoment(walk.run.moments[walk.at]);
  showChoices();
  showLanes();
  if (about.live) history.replaceState(null, "", `#${link()}`);
  if (wasInList) choices()[0]?.focus({ preventScroll: true });
}

function showRun() {
  const { shows, loop, moments, steps } = walk.run;
  const chips = moments.map((moment, number) => {
    const kinds = ["chip", number > walk.at ? "later" : "", moment.violated.length ? "bad" : ""].join(" ");
    const current = number === walk.at ? "step" : false;
    return element("li", {}, element("button", { class: kinds, click: () => goTo(number), "aria-current": current },
      span("number", String(number)), breakable(number ? moment.step.action : "start")));
  });
  const rest = loop >= steps.length ? "; then nothing more, for ever" : `; again from state ${loop}, for ever`;
  fill("run", shows ? element("p", {}, shows + (loop === null ? "" : rest)) : "", element("ol", {}, chips));
  byId("run").querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showChoices() {
  const moment = walk.run.moments[walk.at];
  const tab = (panel, text, count) => {
    const selected = String(walk.panel === panel);
    const does = { role: "tab", id: `tab-${panel}`, "aria-controls": "listed", "aria-selected": selected };
    return element("button", { ...does, click: () => toPanel(panel) }, `${text} (${count})`);
  };
  const refusals = moment.refused.length + moment.more_refused;
  fill("tabs", tab("possible", "Can happen", moment.possible.length), tab("refused", "Cannot", refusals));
  byId("listed").setAttribute("aria-labelledby", `tab-${walk.panel}`);
  if (walk.panel === "possible") {
    fill("listed", possible(moment, walk.run.steps[walk.at], about.live ? take : null));
    return;
  }
  const shown = element("div", {}, refused(moment, walk.filter));
  const filter = element("input", {
    type: "search", id: "filter", placeholder: "filter", "aria-label": "Filter what cannot happen", value: walk.filter,
    input: (event) => {
      walk.filter = event.target.value;
      shown.replaceChildren(element("div", {}, refused(moment, walk.filter)));
    },
  });
  fill("listed", filter, shown);
}

function toPanel(panel) {
  walk.panel = panel;
  showChoices();
  choices()[0]?.focus({ preventScroll: true });
}

// The picture has a rectangle for each step; what belongs to steps after the current one is faint.
function showLanes() {
  fill("lanes");
  if (!walk.run.steps.length) return;
  // The page has its own style for it, light and dark.
  const text = walk.run.lanes.replace(/<style>.*?<\/style>/s, "");
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  let number = 0;
  for (const part of svg.querySelectorAll(":scope > text, :scope > rect, :scope > line")) {
    const kind = part.getAttribute("class");
    if (["title", "lane", "name", "end"].includes(kind)) continue;
    if (kind === "no") number += 1;
    // Messages are drawn before the step that receives them.
    const step = ["message", "sent"].includes(kind) ? number + 1 : number;
    part.classList.toggle("later", step > walk.at);
    if (["step", "refused"].includes(kind)) {
      part.classList.toggle("now", step === walk.at);
      part.addEventListener("click", () => goTo(step));
    }
  }
  const scrolls = { class: "picture", tabindex: "0", role: "group", "aria-label": "Swim lanes" };
  const window = element("div", scrolls, svg);
  fill("lanes", element("h2", {}, "Swim lanes"), window);
  // A wide picture is moved so that the current step is in the middle.
  const now = svg.querySelector(".now")?.getBBox();
  if (now) window.scrollLeft = now.x + (now.width - window.clientWidth) / 2;
}

function choices() {
  return [...byId("listed").querySelectorAll(".choice")];
}

function moveFocus(by) {
  const all = choices();
  const here = all.indexOf(document.activeElement);
  all[here < 0 ? 0 : Math.max(0, Math.min(here + by, all.length - 1))]?.focus();
}

// A file without a server has its trace inside.
async function saveRun() {
  const { setup, initial, steps } = walk.run;
  const trace = about.trace ?? (await ask("file", { ...setup, initial, steps }));
  if (trace) save(`${about.system}.itf.json`, `${JSON.stringify(trace, null, 2)}\n`, "application/json");
}

const KEYS = [
  [["ArrowRight", "l"], "one step on in this run", () => goTo(walk.at + 1)],
  [["ArrowLeft", "h", "Backspace"], "one step back", () => goTo(walk.at - 1)],
  [["Home"], "to the initial state", () => goTo(0)],
  [["End"], "to the last state", () => goTo(walk.run.moments.length - 1)],
  [["ArrowDown", "j"], "down in the list of steps", () => moveFocus(1)],
  [["ArrowUp", "k"], "up in the list of steps", () => moveFocus(-1)],
  [["c"], "what can happen, or what cannot", () => toPanel(walk.panel === "possible" ? "refused" : "possible")],
  [["/"], "filter what cannot happen", () => { toPanel("refused"); byId("filter").focus(); }],
  [["a"], "all values, or those that differ from the beginning", () => { about.folds = !about.folds; show(); }],
  [["s"], "save the run as a file (ITF)", () => saveRun()],
  [["?"], "these keys", () => byId("help").showModal()],
];
const ARROWS = { ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑" };

function showKeys() {
  const shown = about.live ? [[["Enter"], "take the step that has the focus"], ...KEYS] : KEYS;
  const names = (keys) => keys.map((key) => [element("kbd", {}, ARROWS[key] || key), " "]);
  const line = ([keys, does]) => element("div", {}, element("dt", {}, names(keys)), element("dd", {}, does));
  fill("keys", shown.map(line));
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (["INPUT", "SELECT"].includes(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = KEYS.find(([names]) => names.includes(event.key));
  if (!key) return;
  event.preventDefault();
  notice("");
  key[2]();
}

function button(text, key, click) {
  return element("button", { click, title: `key ${key}`, "aria-keyshortcuts": key }, text);
}
