"use strict";
// Begins with the run of the link, or else with the one that the page was made with.

document.addEventListener("keydown", pressed);
if (about.live) {
  fill("menu",
    button("Find a run", "f", () => showFind()), button("Open", "o", () => byId("file").click()), button("Save", "s", () => saveRun()),
    button("Copy link", "y", () => share()), button("Graph", "g", () => showGraph()), button("Keys", "?", () => byId("help").showModal()));
  byId("file").addEventListener("change", (event) => { openFile(event.target.files[0]); event.target.value = ""; });
  window.addEventListener("hashchange", () => openLink());
  const shared = location.hash;
  begin(about.run, 0);
  showSetup();
  if (shared) {
    history.replaceState(null, "", shared);
    openLink();
  }
} else {
  const { configuration, semantics, bugs } = about.run.setup;
  fill("setup", element("p", {}, [configuration, semantics, ...bugs].join(", ")));
  fill("menu", button("Save", "s", () => saveRun()), button("Keys", "?", () => byId("help").showModal()));
  begin(about.run, 0);
}
showKeys();
