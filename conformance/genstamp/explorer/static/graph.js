"use strict";
// The whole state graph of a small system; a click on a state loads a shortest run to it.

const COLUMN = 46;
const ROW = 64;

async function showGraph() {
  const { setup } = walk.run;
  const graph = await ask("graph", setup);
  if (!graph) return;
  const xs = graph.states.map((state) => state.x);
  const [left, right] = [Math.min(...xs) - 3, Math.max(...xs) + 1];
  const bottom = Math.max(...graph.states.map((state) => state.y)) + 1;
  const place = (number) => [(graph.states[number].x - left) * COLUMN, (graph.states[number].y + 0.5) * ROW];
  const [width, height] = [(right - left) * COLUMN, bottom * ROW];
  const svg = picture("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "State graph" });
  svg.append(...levels(graph));
  const edges = graph.edges.map(([here, there, calls]) => edge(place(here), place(there), calls));
  svg.append(...edges);
  for (const number of graph.states.keys()) {
    const own = edges.filter((made, i) => graph.edges[i].slice(0, 2).includes(number));
    svg.append(node(graph, number, place(number), own));
  }
  fill("graph-picture", svg);
  byId("graph-told").textContent = `${graph.states.length} states and ${graph.edges.length} edges within the limits of ${setup.configuration}. A state loads a shortest run to it.`;
  byId("graph").showModal();
  (svg.querySelector(".here") || svg.querySelector(".node")).focus();
}

// How many steps lead to the states of a row, at its left; a long row is broken into several.
function levels(graph) {
  const rows = new Map();
  for (const state of graph.states) if (!rows.has(state.level)) rows.set(state.level, state.y);
  return [...rows].map(([level, y]) => picture("text", { class: "level", x: 4, y: (y + 0.5) * ROW + 4 }, level === 1 ? "1 step" : `${level} steps`));
}

function edge([x1, y1], [x2, y2], calls) {
  // Edges to the same row or back bend aside, so that they do not lie on other states.
  const bend = y2 > y1 ? 0 : 26 + Math.abs(y1 - y2) / 6;
  const [cx, cy] = [(x1 + x2) / 2 + bend, (y1 + y2) / 2 + (y1 === y2 ? bend : 0)];
  const path = x1 === x2 && y1 === y2 ? `M${x1 + 8},${y1 - 9} c22,-18 22,36 0,18` : `M${x1},${y1} Q${cx},${cy} ${x2},${y2}`;
  return picture("path", { class: "edge", d: path }, picture("title", {}, calls.join("\n")));
}

function node(graph, number, [x, y], edges) {
  const state = graph.states[number];
  const kinds = ["node", state.parent ? "" : "first", state.is_violated ? "bad" : "", state.key === walk.run.moments[walk.at].key ? "here" : ""];
  const open = () => { byId("graph").close(); loadTo(graph, number); };
  const made = picture("g", { class: kinds.join(" "), tabindex: "0", role: "button", "aria-label": `state ${number}` },
    picture("circle", { cx: x, cy: y, r: 13 }), picture("text", { x, y: y + 4 }, String(number)));
  const mark = (isMarked) => edges.forEach((one) => one.classList.toggle("marked", isMarked));
  for (const event of ["mouseenter", "focus"]) made.addEventListener(event, () => mark(true));
  for (const event of ["mouseleave", "blur"]) made.addEventListener(event, () => mark(false));
  made.addEventListener("click", open);
  made.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
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
