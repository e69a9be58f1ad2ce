/* A page has this script inline, after its data. */
import styles from "./viewer.css";
import { make } from "./dom.js";
import { makeViewer } from "./viewer.js";

/** Show an assembly in an element; the data is that of report/viewer. */
export function show(root, data, keys) {
  root.before(make("style", {}, styles));
  return makeViewer(root, data, keys);
}

// a module has no current script: only a page starts by itself
if (document.currentScript) {
  const data = JSON.parse(document.getElementById("data").textContent);
  show(document.getElementById("viewer"), data, document.body);
}
