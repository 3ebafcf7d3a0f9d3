"use strict";
// What the page asks its server: a step, a shortest run, a file; and the link that holds a run.

async function ask(question, asked) {
  document.body.classList.add("asking");
  const [method, headers, body] = ["POST", { "Content-Type": "application/json" }, JSON.stringify(asked)];
  try {
    const answer = await fetch(`/${question}`, { method, headers, body });
    const told = await answer.json();
    if (answer.ok) return told;
    notice(told.error, true);
  } catch {
    notice("the explorer does not answer; is genstamp explore still running?", true);
  } finally {
    document.body.classList.remove("asking");
  }
  return null;
}

async function take(call) {
  const { run, at } = walk;
  if (run.steps[at] === call) {
    goTo(at + 1);
    return;
  }
  const steps = [...run.steps.slice(0, at), call];
  const told = await ask("walk", { ...run.setup, initial: run.initial, steps, since: at + 1 });
  if (!told) return;
  notice("");
  begin({ ...told, moments: [...run.moments.slice(0, at + 1), ...told.moments] }, at + 1);
}

async function load(question, asked, at = 0) {
  notice(question === "reach" ? "searching ..." : "");
  const run = await ask(question, asked);
  if (!run) return;
  notice("");
  begin(run, at);
  showSetup();
}

function link() {
  const { setup, initial, steps } = walk.run;
  const told = new URLSearchParams({ system: about.system });
  for (const name of ["configuration", "semantics"]) told.set(name, setup[name]);
  for (const bug of setup.bugs) told.append("bug", bug);
  told.set("initial", initial);
  for (const step of steps) told.append("step", step);
  told.set("at", walk.at);
  return told.toString();
}

function openLink() {
  const told = new URLSearchParams(location.hash.slice(1));
  const [system, steps] = [told.get("system"), told.getAll("step")];
  if (system !== about.system) {
    notice(`the link is of ${system}; this explorer shows ${about.system}`, true);
    return;
  }
  const [configuration, semantics] = [told.get("configuration") ?? "", told.get("semantics") ?? ""];
  const asked = { configuration, semantics, bugs: told.getAll("bug"), initial: Number(told.get("initial")), steps };
  load("walk", asked, Number(told.get("at") ?? steps.length) || 0);
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
  const choose = (label, values, chosen, change) => {
    const option = ([value, text]) => element("option", { value, selected: value === chosen }, text ?? value);
    const select = element("select", { change: (event) => change(event.target.value) }, values.map(option));
    return element("label", {}, label, " ", select);
  };
  const to = (changed) => load("walk", { ...setup, ...changed });
  const names = about.configurations.map((one) => [one.name]);
  const bugs = [["", "none"], ...about.bugs.map((one) => [one.name])];
  // Several may be given on the command line.
  const chosen = setup.bugs.join(", ");
  if (!bugs.some(([name]) => name === chosen)) bugs.push([chosen]);
  const starts = Array.from({ length: initials }, (_, number) => [String(number), `state ${number} of ${initials}`]);
  fill("setup",
    choose("configuration", names, setup.configuration, (configuration) => to({ configuration })),
    choose("semantics", about.semantics.map((name) => [name]), setup.semantics, (semantics) => to({ semantics })),
    about.bugs.length ? choose("bug", bugs, chosen, (bug) => to({ bugs: bug ? [bug] : [] })) : "",
    initials > 1 ? choose("begins in", starts, String(initial), (start) => to({ initial: Number(start) })) : "");
  byId("setup").title = about.configurations.find((one) => one.name === setup.configuration).doc;
}

function showFind() {
  const { setup, witnesses } = walk.run;
  const find = (asked) => {
    byId("find").close();
    load("reach", asked);
  };
  const offer = (name, doc, asked, tag = "") =>
    element("button", { class: "choice", click: () => find(asked) },
      span("call", breakable(name)), span("doc", doc), tag ? span("tag", tag) : "");
  const steps = element("input", { id: "scenario", placeholder: "create; not hflush; complete(file=file1)" });
  const submit = (event) => {
    event.preventDefault();
    find({ ...setup, scenario: steps.value });
  };
  const good = witnesses.map((one) => offer(one.name, one.doc, { ...setup, witness: one.name }));
  const bad = about.bugs.map((one) =>
    offer(one.name, one.title, { semantics: setup.semantics, bugs: [one.name] }, one.kind === "bug" ? "" : one.kind));
  fill("found",
    element("form", { submit },
      element("label", { for: "scenario" }, "A shortest run with these steps in order"),
      steps,
      element("button", {}, "Find")),
    good.length ? [element("h3", {}, "Witnesses: runs that go well"), list(good)] : "",
    bad.length ? [element("h3", {}, "Bugs and holes: runs that go wrong"), list(bad)] : "",
    element("h3", {}, "This system"),
    list([offer("a counterexample", "a shortest run that violates any property", setup)]));
  byId("find").showModal();
}

KEYS.push(
  [["f"], "find a run: to a witness, a bug, through steps", () => showFind()],
  [["o"], "open a run from a file (ITF)", () => byId("file").click()],
  [["y"], "copy a link to this run", () => share()],
  [["g"], "all states as a graph, where there are few", () => showGraph()],
);
