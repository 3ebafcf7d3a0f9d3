"use strict";
// Shows one state of a run: its cards, what is violated, what can happen and what cannot.

function showMoment(moment) {
  fill("step", stepTaken(moment));
  fill("violated", moment.violated.map(violation));
  fill("cards", moment.cards.map(card));
}

function stepTaken(moment) {
  const good = ({ name, doc }) => element("li", { class: "good", title: doc }, `witness ${name}`);
  const limited = (limit) => element("li", { class: "limit" }, `beyond the limit ${limit}`);
  const marks = [...moment.witnesses.map(good), ...moment.beyond.map(limited)];
  if (moment.stuck) {
    marks.push(element("li", { class: moment.stuck.startsWith("deadlock") ? "bad" : "limit" }, moment.stuck));
  }
  const { step, begins } = moment;
  const shown = marks.length ? element("ul", { class: "marks" }, marks) : "";
  if (!step) return [element("h2", {}, "Initial state", begins.length ? `, with ${begins.join(", ")}` : ""), shown];
  const answer = step.refuses ? span("refusal", ` The caller gets ${step.refuses}.`) : "";
  return [element("h2", {}, call(step)), element("p", {}, step.doc, answer), shown];
}

function violation(found) {
  const forWhom = found.members.map(([name, member]) => ` for ${name} ${member}`).join(",");
  const title = found.claimed.length > 1 ? "None of these holds" : "This does not hold";
  const codes = (texts) => list(texts.map(code));
  const values = found.values.map(([name, text]) => [code(name), " is ", span("now", code(text))]);
  return element("article", { class: "violation" },
    element("h2", {}, "violated: ", breakable(found.name)),
    element("p", {}, found.doc),
    element("h3", {}, title + forWhom),
    codes(found.claimed),
    list(values, "values"),
    found.kind === "transition" ? element("p", { class: "source" }, "x' is the value of x after the step") : "",
    found.although.length ? fold("although this holds", codes(found.although)) : "",
    found.story.length ? element("pre", {}, found.story.join("\n")) : "",
    element("p", { class: "source" }, breakable(found.source)));
}

function card(shown) {
  const isPlain = (one) => about.folds && one.initial && one.before === undefined;
  const told = shown.rows.filter((one) => !isPlain(one)).map(row);
  const plain = shown.rows.filter(isPlain).map(row);
  const hasChanged = shown.rows.some((one) => one.before !== undefined);
  // Of client1 it need not be said that it is a client.
  const isSaid = shown.kind.toLowerCase() === shown.title.replace(/\d+$/, "");
  return element("article", { class: hasChanged ? "card changed" : "card" },
    element("h3", {}, shown.title, isSaid ? "" : element("small", {}, shown.kind)),
    told.length ? element("dl", {}, told) : "",
    plain.length ? fold(`${plain.length} as at the beginning`, element("dl", {}, plain)) : "");
}

function row(shown) {
  const changed = shown.before !== undefined;
  const marked = (tag, text) => element(tag, {}, breakable(text));
  let now = marked("span", shown.value);
  if (shown.messages) now = shown.messages.length ? list(shown.messages.map(message), "messages") : "none";
  else if (changed) now = [marked("del", shown.before), " ", marked("ins", shown.value)];
  const kind = changed ? "row new" : shown.initial ? "row initial" : "row";
  return element("div", { class: kind }, element("dt", {}, breakable(shown.name)), element("dd", {}, now));
}

function message(shown) {
  return element({ added: "ins", taken: "del" }[shown.mark] || "span", {}, breakable(shown.text));
}

function byActor(choices, show) {
  const actors = new Map();
  for (const choice of choices) {
    if (!actors.has(choice.actor)) actors.set(choice.actor, []);
    actors.get(choice.actor).push(show(choice));
  }
  return [...actors].map(([actor, shown]) =>
    element("section", { class: "actor", "aria-label": actor }, element("h3", {}, actor), list(shown)));
}

// Without a server no step can be taken, and what can happen is only read.
function possible(moment, next, take) {
  const show = (choice) => {
    const kind = choice.call === next ? "choice next" : "choice";
    const act = take ? { click: () => take(choice.call) } : { tabindex: "-1" };
    return element(take ? "button" : "div", { class: kind, "data-call": choice.call, ...act },
      call(choice),
      span("doc", choice.doc),
      choice.call === next ? span("tag", "the next step of this run") : "",
      choice.refuses ? span("tag refusal", `refuses: ${choice.refuses}`) : "",
      choice.beyond.length ? span("tag limit", `beyond the limit ${choice.beyond.join(", ")}`) : "");
  };
  return moment.possible.length ? byActor(moment.possible, show) : element("p", { class: "empty" }, moment.stuck);
}

function refused(moment, filter) {
  const reads = (values) => values.map(([name, text]) => `${name} = ${text}`).join(", ");
  const show = (choice) =>
    element("div", { class: "choice refused", tabindex: "-1", "data-call": choice.call },
      call(choice),
      span("needs", "needs that ", element("b", {}, choice.needs)),
      choice.values.length ? span("reads", breakable(reads(choice.values))) : "",
      choice.refuses ? span("tag refusal", `refuses: ${choice.refuses}`) : "",
      span("source", breakable(choice.needs_at)));
  const text = (choice) => `${choice.call} ${choice.needs} ${choice.refuses}`.toLowerCase();
  const wanted = moment.refused.filter((choice) => text(choice).includes(filter.toLowerCase()));
  const none = filter ? "none of these" : "every step is possible";
  const more = moment.more_refused ? `and ${moment.more_refused} more` : wanted.length ? "" : none;
  return [byActor(wanted, show), more ? element("p", { class: "empty" }, more) : ""];
}

function call(step) {
  return element("code", { class: "call" }, breakable(step.action), span("arguments", breakable(step.arguments)));
}
