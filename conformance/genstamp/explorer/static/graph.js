"use strict";
// The whole state graph of a small system; a click on a state loads a shortest run to it.

const COLUMN = 46;
const ROW = 64;

async function showGraph() {
  const { setup } = walk.run;
  const graph = await ask("graph", setup);
  if (!graph) return;
  const { states, edges } = graph;
  const xs = states.map((state) => state.x);
  // The levels are named at the left.
  const [left, right] = [Math.min(...xs) - 3, Math.max(...xs) + 1];
  const [width, height] = [(right - left) * COLUMN, (Math.max(...states.map((state) => state.y)) + 1) * ROW];
  const place = (number) => [(states[number].x - left) * COLUMN, (states[number].y + 0.5) * ROW];
  const drawn = edges.map(([here, there, calls]) => edge(place(here), place(there), calls));
  const nodes = states.map((_, number) => {
    const own = drawn.filter((made, i) => edges[i][0] === number || edges[i][1] === number);
    return node(graph, number, place(number), own);
  });
  const names = { role: "group", "aria-label": "State graph" };
  const svg = picture("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...names });
  svg.append(...levels(states), ...drawn, ...nodes);
  fill("graph-picture", svg);
  const size = `${states.length} states and ${edges.length} edges within the limits of ${setup.configuration}`;
  fill("graph-told", `${size}. A state loads a shortest run to it.`);
  byId("graph").showModal();
  (svg.querySelector(".here") || svg.querySelector(".node")).focus();
}

// How many steps lead to the states of a row; a long row is broken into several.
function levels(states) {
  const rows = new Map();
  for (const state of states) if (!rows.has(state.level)) rows.set(state.level, state.y);
  const text = (level) => (level === 1 ? "1 step" : `${level} steps`);
  return [...rows].map(([level, y]) => picture("text", { class: "level", x: 4, y: (y + 0.5) * ROW + 4 }, text(level)));
}

function edge([x1, y1], [x2, y2], calls) {
  // Edges to the same row or back bend aside, so that they do not lie on other states.
  const bend = y2 > y1 ? 0 : 26 + Math.abs(y1 - y2) / 6;
  const middle = `${(x1 + x2) / 2 + bend},${(y1 + y2) / 2 + (y1 === y2 ? bend : 0)}`;
  const isLoop = x1 === x2 && y1 === y2;
  const d = isLoop ? `M${x1 + 8},${y1 - 9} c22,-18 22,36 0,18` : `M${x1},${y1} Q${middle} ${x2},${y2}`;
  return picture("path", { class: "edge", d }, picture("title", {}, calls.join("\n")));
}

function node(graph, number, [x, y], edges) {
  const state = graph.states[number];
  const isHere = state.key === walk.run.moments[walk.at].key;
  const kinds = ["node", state.parent ? "" : "first", state.is_violated ? "bad" : "", isHere ? "here" : ""];
  const does = { class: kinds.join(" "), tabindex: "0", role: "button", "aria-label": `state ${number}` };
  const made = picture("g", does, picture("circle", { cx: x, cy: y, r: 13 }), picture("text", { x, y: y + 4 }, number));
  const mark = (isMarked) => edges.forEach((one) => one.classList.toggle("marked", isMarked));
  for (const event of ["mouseenter", "focus"]) made.addEventListener(event, () => mark(true));
  for (const event of ["mouseleave", "blur"]) made.addEventListener(event, () => mark(false));
  const open = () => {
    byId("graph").close();
    loadTo(graph, number);
  };
  made.addEventListener("click", open);
  made.addEventListener("keydown", (event) => event.key === "Enter" && open());
  return made;
}

function loadTo(graph, number) {
  const steps = [];
  let here = number;
  while (graph.states[here].parent) {
    const [parent, call] = graph.states[here].parent;
    steps.unshift(call);
    here = parent;
  }
  load("walk", { ...walk.run.setup, initial: here, steps }, steps.length);
}
