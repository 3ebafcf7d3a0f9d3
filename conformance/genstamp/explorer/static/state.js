"use strict";
// Shows one state of a run: its cards, what is violated, what can happen and what cannot.

function showMoment(moment, taken) {
  fill("violated", moment.violated.map(violation));
  fill("step", stepTaken(moment, taken));
  fill("cards", moment.cards.map(card));
}

function violation(found) {
  const forWhom = found.members.map(([name, member]) => `${name} ${member}`).join(", ");
  const listed = (texts) => element("ul", {}, texts.map((text) => element("li", {}, element("code", {}, breakable(text)))));
  return element("article", { class: "violation" },
    element("h2", {}, "violated: ", ...breakable(found.name)),
    found.doc ? element("p", {}, found.doc) : "",
    element("h3", {}, found.claimed.length > 1 ? "None of these holds" : "This does not hold", forWhom ? ` for ${forWhom}` : ""),
    listed(found.claimed),
    found.values.length ? element("ul", { class: "values" }, found.values.map(value)) : "",
    found.kind === "transition" ? element("p", { class: "source" }, "x' is the value of x after the step") : "",
    found.although.length ? element("details", {}, element("summary", {}, "although this holds"), listed(found.although)) : "",
    found.story.length ? element("pre", {}, found.story.join("\n")) : "",
    element("p", { class: "source" }, breakable(found.source)));
}

function value([name, text]) {
  return element("li", {}, element("code", {}, breakable(name)), " is ", element("code", { class: "now" }, breakable(text)));
}

function stepTaken(moment, taken) {
  const notes = [];
  for (const witness of moment.witnesses) notes.push(element("li", { class: "good", title: witness.doc }, `witness ${witness.name}`));
  for (const limit of moment.beyond) notes.push(element("li", { class: "limit" }, `beyond the limit ${limit}`));
  if (moment.stuck) notes.push(element("li", { class: moment.stuck.startsWith("deadlock") ? "bad" : "limit" }, moment.stuck));
  const marks = notes.length ? element("ul", { class: "marks" }, notes) : "";
  if (!taken) {
    const begins = moment.begins.length ? `Initial state, with ${moment.begins.join(", ")}` : "Initial state";
    return [element("h2", {}, begins), marks];
  }
  return [
    element("h2", {}, element("code", {}, breakable(taken.action), element("span", { class: "arguments" }, breakable(taken.arguments)))),
    element("p", {}, taken.doc, taken.refuses ? element("span", { class: "refusal" }, ` The caller gets ${taken.refuses}.`) : ""),
    marks,
  ];
}

function card(shown) {
  const rows = shown.rows.map(row);
  const isPlain = (made, i) => shown.rows[i].initial && shown.rows[i].before === undefined;
  const plain = about.folds ? rows.filter(isPlain) : [];
  const told = rows.filter((made) => !plain.includes(made));
  const hasChanged = shown.rows.some((one) => one.before !== undefined);
  return element("article", { class: hasChanged ? "card changed" : "card" },
    element("h3", {}, shown.title, shown.kind && shown.kind.toLowerCase() !== shown.title.replace(/\d+$/, "") ? element("small", {}, shown.kind) : ""),
    told.length ? element("dl", {}, told) : "",
    plain.length ? element("details", {}, element("summary", {}, `${plain.length} as at the beginning`), element("dl", {}, plain)) : "");
}

function row(shown) {
  const changed = shown.before !== undefined;
  const kind = changed ? "row new" : shown.initial ? "row initial" : "row";
  let now = [element("span", {}, breakable(shown.value))];
  if (shown.messages) now = shown.messages.length ? [element("ul", { class: "messages" }, shown.messages.map(message))] : ["no message"];
  else if (changed) now = [element("del", {}, breakable(shown.before)), " ", element("ins", {}, breakable(shown.value))];
  return element("div", { class: kind }, element("dt", {}, breakable(shown.name)), element("dd", {}, now));
}

function message(shown) {
  const tag = { added: "ins", taken: "del" }[shown.mark] || "span";
  return element("li", {}, element(tag, {}, breakable(shown.text)));
}

function byActor(choices, show) {
  const groups = new Map();
  for (const choice of choices) {
    if (!groups.has(choice.actor)) groups.set(choice.actor, []);
    groups.get(choice.actor).push(choice);
  }
  return [...groups].map(([actor, some]) =>
    element("section", { class: "actor", "aria-label": actor }, element("h3", {}, actor), element("ul", {}, some.map((one) => element("li", {}, show(one))))));
}

function possible(moment, next, take) {
  const show = (choice) =>
    element(about.live ? "button" : "div", {
      class: choice.call === next ? "choice next" : "choice", tabindex: about.live ? undefined : "-1",
      "data-call": choice.call, click: () => take(choice.call) },
      heading(choice),
      element("span", { class: "doc" }, choice.doc),
      choice.call === next ? element("span", { class: "tag" }, "the next step of this run") : "",
      choice.refuses ? element("span", { class: "tag refusal" }, `refuses: ${choice.refuses}`) : "",
      choice.beyond.length ? element("span", { class: "tag limit" }, `beyond the limit ${choice.beyond.join(", ")}`) : "");
  return moment.possible.length ? byActor(moment.possible, show) : [element("p", { class: "empty" }, moment.stuck)];
}

function refused(moment, filter) {
  const show = (choice) =>
    element("div", { class: "choice refused", tabindex: "-1", "data-call": choice.call },
      heading(choice),
      element("span", { class: "needs" }, "needs that ", element("b", {}, choice.needs)),
      choice.values.length ? element("span", { class: "reads" }, choice.values.map(([name, text], i) => [i ? ", " : "", ...breakable(`${name} = ${text}`)]).flat()) : "",
      choice.refuses ? element("span", { class: "tag refusal" }, `refuses: ${choice.refuses}`) : "",
      element("span", { class: "source" }, breakable(choice.needs_at)));
  const wanted = moment.refused.filter((one) => `${one.call} ${one.needs} ${one.refuses}`.toLowerCase().includes(filter.toLowerCase()));
  const more = moment.more_refused ? [element("p", { class: "empty" }, `and ${moment.more_refused} more`)] : [];
  return wanted.length ? [...byActor(wanted, show), ...more] : [element("p", { class: "empty" }, filter ? "none of these" : "every step is possible")];
}

function heading(choice) {
  return element("code", { class: "call" }, breakable(choice.action), element("span", { class: "arguments" }, breakable(choice.arguments)));
}
