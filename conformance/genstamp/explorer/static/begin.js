"use strict";
// Begins with the run of the link, or else with the one that the page was made with.

const HELP = button("Keys", "?", () => byId("help").showModal());
const SAVE = button("Save", "s", () => saveRun());

function beginLive() {
  fill("menu",
    button("Find a run", "f", () => showFind()),
    button("Open", "o", () => byId("file").click()),
    SAVE,
    button("Copy link", "y", () => share()),
    button("Graph", "g", () => showGraph()),
    HELP);
  byId("file").addEventListener("change", (event) => {
    openFile(event.target.files[0]);
    event.target.value = "";
  });
  window.addEventListener("hashchange", openLink);
  const shared = location.hash;
  begin(about.run, 0);
  showSetup();
  if (shared) {
    history.replaceState(null, "", shared);
    openLink();
  }
}

function beginAlone() {
  const { configuration, semantics, bugs } = about.run.setup;
  fill("menu", SAVE, HELP);
  fill("setup", element("p", {}, [configuration, semantics, ...bugs].join(", ")));
  begin(about.run, 0);
}

document.addEventListener("keydown", pressed);
if (about.live) beginLive();
else beginAlone();
showKeys();
