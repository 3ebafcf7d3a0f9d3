"use strict";
// What the page asks its server: a step, a shortest run, a file; and the link that holds a run.

async function ask(question, body) {
  document.body.classList.add("asking");
  try {
    const answer = await fetch(`/${question}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  } catch (problem) {
    notice(problem instanceof TypeError ? "the explorer does not answer; is genstamp explore still running?" : problem.message, true);
    return null;
  } finally {
    document.body.classList.remove("asking");
  }
}

async function take(call) {
  const { run, at } = walk;
  if (run.steps[at] === call) return goTo(at + 1);
  const told = await ask("walk", { ...run.setup, initial: run.initial, steps: [...run.steps.slice(0, at), call], since: at + 1 });
  if (!told) return undefined;
  notice("");
  return begin({ ...told, moments: [...run.moments.slice(0, at + 1), ...told.moments] }, at + 1);
}

async function load(question, body, at = 0) {
  if (question === "reach") notice("searching ...");
  const run = await ask(question, body);
  if (!run) return;
  notice("");
  begin(run, at);
  showSetup();
}

function link() {
  const { run, at } = walk;
  const told = new URLSearchParams({ system: about.system, configuration: run.setup.configuration, semantics: run.setup.semantics });
  for (const bug of run.setup.bugs) told.append("bug", bug);
  if (run.initial) told.set("initial", run.initial);
  for (const step of run.steps) told.append("step", step);
  told.set("at", at);
  return told.toString();
}

async function openLink() {
  const told = new URLSearchParams(location.hash.slice(1));
  if (told.get("system") !== about.system) return notice(`the link is of ${told.get("system")}; this explorer shows ${about.system}`, true);
  const steps = told.getAll("step");
  const body = { configuration: told.get("configuration") || "", semantics: told.get("semantics") || "", bugs: told.getAll("bug"), initial: Number(told.get("initial")), steps };
  return load("walk", body, Number(told.get("at") ?? steps.length));
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    notice("the link to this run is copied");
  } catch {
    notice(`the link to this run: ${location.href}`);
  }
}

async function openFile(file) {
  if (file) await load("trace", { ...walk.run.setup, text: await file.text() });
}

function showSetup() {
  const { setup, initial, initials } = walk.run;
  const choose = (label, values, chosen, change) => element("label", {}, label, " ", element("select", { change: (event) => change(event.target.value) },
    values.map(([value, text]) => element("option", { value, selected: value === chosen }, text || value))));
  const to = (changed) => load("walk", { ...setup, ...changed });
  const none = [["", "none"], ...about.bugs.map((bug) => [bug.name])];
  const chosen = setup.bugs.join(", ");
  const bugs = none.some(([name]) => name === chosen) ? none : [...none, [chosen]];
  fill("setup",
    choose("configuration", about.configurations.map((one) => [one.name]), setup.configuration, (configuration) => to({ configuration })),
    choose("semantics", about.semantics.map((name) => [name]), setup.semantics, (semantics) => to({ semantics })),
    choose("bug", bugs, chosen, (bug) => to({ bugs: bug ? [bug] : [] })),
    initials > 1 ? choose("begins in", [...Array(initials).keys()].map((number) => [String(number), `state ${number} of ${initials}`]), String(initial), (number) => to({ initial: Number(number) })) : "");
  const configuration = about.configurations.find((one) => one.name === setup.configuration);
  byId("setup").title = configuration.doc;
}

function showFind() {
  const run = (title, name, detail, body) => element("li", {}, element("button", { class: "choice", click: () => { byId("find").close(); load("reach", body); } },
    element("span", { class: "call" }, breakable(name)), element("span", { class: "doc" }, detail), title ? element("span", { class: "tag" }, title) : ""));
  const setup = walk.run.setup;
  const text = element("input", { id: "scenario", placeholder: "create; not hflush; complete(file=file1)", autocomplete: "off" });
  const ofBug = (bug) => run(bug.kind === "bug" ? "" : bug.kind, bug.name, bug.title, { semantics: setup.semantics, bugs: [bug.name] });
  fill("found",
    element("form", { submit: (event) => { event.preventDefault(); byId("find").close(); load("reach", { ...setup, scenario: text.value }); } },
      element("label", { for: "scenario" }, "A shortest run with these steps in order"), text, element("button", {}, "Find")),
    element("h3", {}, "Witnesses: runs that go well"),
    element("ul", {}, walk.run.witnesses.map((one) => run("", one.name, one.doc, { ...setup, witness: one.name }))),
    about.bugs.length ? element("h3", {}, "Bugs and holes: runs that go wrong") : "",
    element("ul", {}, about.bugs.map(ofBug)));
  byId("find").showModal();
}

KEYS.push(
  [["f"], "find a run: to a witness, a bug, through steps", () => showFind()],
  [["o"], "open a run from a file (ITF)", () => byId("file").click()],
  [["y"], "copy a link to this run", () => share()],
  [["g"], "all states as a graph, where there are few", () => showGraph()],
);
