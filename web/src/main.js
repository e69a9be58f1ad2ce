/* A page has this script inline, after its data. */
import styles from "./viewer.css";
import { make } from "./dom.js";
import { makeViewer } from "./viewer.js";

/** Show an assembly in an element; the data is that of report/viewer. */
export function show(root, data, keys) {
  root.before(make("style", {}, styles));
  return makeViewer(root, data, keys);
}

/** The widget of a notebook: `values` of the sliders follow them, and move them. */
export function render({ model, el }) {
  const root = make("div");
  root.style.height = `${model.get("height")}px`;
  root.dataset.lmSuppressShortcuts = "true"; // else keys pressed here are JupyterLab's, too: M makes a cell a text
  el.append(root);
  const world = show(root, JSON.parse(model.get("data")));
  if (!world.player) return undefined;
  let own = ""; // the values that were sent last
  const send = () => {
    const values = world.player.values();
    const text = JSON.stringify(values);
    if (text === own) return;
    own = text;
    model.set("values", values);
    model.save_changes();
  };
  const receive = () => {
    const values = model.get("values");
    if (JSON.stringify(values) !== own) world.player.move(values);
  };
  world.on("moved", send);
  model.on("change:values", receive);
  if (Object.keys(model.get("values")).length) receive();
  else send();
  return () => {
    model.off("change:values", receive);
    world.end();
  };
}

// a module has no current script: only a page starts by itself
if (document.currentScript) {
  const data = JSON.parse(document.getElementById("data").textContent);
  show(document.getElementById("viewer"), data, document.body);
}
