"use strict";
// Elements of the page, made without HTML text: whatever a name or value says is shown as it is.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity));
  return made;
}

const span = (kind, ...children) => element("span", { class: kind }, ...children);
const code = (text) => element("code", {}, breakable(text));
const list = (items, kind) => element("ul", { class: kind }, items.map((item) => element("li", {}, item)));
const fold = (title, inside) => element("details", {}, element("summary", {}, title), inside);

function picture(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function fill(id, ...children) {
  byId(id).replaceChildren(...children.flat(Infinity));
}

// A long name may be broken after its points and brackets, a place in a file after its slashes, and nowhere else.
function breakable(text) {
  const parts = text.split(text.includes("/") ? /(?<=\/)/ : /(?<=[.[\](),_'])/);
  return parts.flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));
}

function notice(text, isError = false) {
  const line = byId("notice");
  line.textContent = text;
  line.hidden = !text;
  line.classList.toggle("error", isError);
}

function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
