/* The viewer in an element: what stands where, and the keys. */
import { Chart } from "./chart.js";
import { button, draw, make } from "./dom.js";
import { Explode } from "./explode.js";
import { mateList, partList } from "./lists.js";
import { makeMates } from "./mates.js";
import { Measuring } from "./measuring.js";
import { makeParts } from "./parts.js";
import { Picking } from "./picking.js";
import { Player } from "./player.js";
import { Poses } from "./poses.js";
import { Section } from "./section.js";
import { Stage } from "./stage.js";
import { Tools } from "./tools.js";
import { World } from "./world.js";

const LOOKS = ["home", "front", "right", "top"];

function frame(root, data) {
  const canvas = make("canvas", { tabIndex: 0, role: "img", ariaLabel:
    `${data.name} in 3D: drag to turn, shift or right button to move, wheel to zoom, click to pick; ` +
    "arrow keys, plus, minus and 0 do the same, space plays, P goes to the next position" });
  const triad = draw("svg", { class: "triad", viewBox: "-42 -42 84 84", "aria-hidden": "true" });
  const layer = make("div", { className: "layer" });
  const stage = make("div", { className: "stage" }, canvas, triad, layer);
  const panel = make("aside", { className: "panel" }, make("h1", {}, data.name), make("p", {}, data.sentence));
  root.classList.add("asm-viewer");
  root.replaceChildren(make("div", { className: "frame" }, stage, panel));
  return { canvas, triad, layer, stage, panel };
}

/** Follow what is light and dark: of the page's notebook, else of the system. */
function followTheme(world, root) {
  const wanted = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const notebook = document.body.dataset.jpThemeLight;
    world.dark = notebook ? notebook === "false" : wanted.matches;
    root.classList.toggle("dark", world.dark);
    world.tell("theme");
  };
  wanted.addEventListener("change", apply);
  const seen = new MutationObserver(apply);
  seen.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  world.ending.push(() => wanted.removeEventListener("change", apply), () => seen.disconnect());
  apply();
}

/** Start where the address says: #at=0.25,0.5, shares of the sliders. */
function startPlace(run) {
  if (!location.hash.startsWith("#at=") || !run) return;
  location.hash.slice(4).split(",").slice(0, run.sizes.length).forEach((share, a) => {
    run.at[a] = Math.max(0, Math.min(1, Number(share))) * (run.sizes[a] - 1);
  });
}

/** Keys in an element or the whole page, wherever nothing is typed or chosen. */
function listen(world, where, tools) {
  where.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const taken = event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input:not([type=checkbox])");
    if (taken || (key === " " && target.matches("button, input"))) return;
    if (key === " ") world.player.playOrRest();
    else if (key === "Escape") tools.rest() || (world.selected && world.select(world.selected));
    else if (key.toLowerCase() === "p") world.player.standNext();
    else if (!tools.switch(key.toLowerCase()) && !world.stage.key(event)) return;
    event.preventDefault();
  });
}

/** The tools, with what they set. */
function makeTools(world, layer, canvas) {
  const tools = new Tools();
  const marks = makeMates(world, layer);
  const measuring = new Measuring(world, layer);
  if (world.mates.length) tools.add("j", "Joints", "marks of all joints, to be picked", (on) => marks.show(on));
  tools.add("m", "Measure", "distance and angle between two features", (on) => measuring.toggle(on), measuring.card);
  const explode = new Explode(world);
  tools.add("e", "Explode", "parts go out along the axes of their mates", (on) => explode.toggle(on), explode.card);
  world.cut = new Section(world);
  tools.add("c", "Section", "what lies beyond a plane is cut away", (on) => world.cut.toggle(on), world.cut.card);
  new Picking(world, canvas, (found) => {
    if (measuring.active) measuring.click(found);
    else if (found) world.select(found.part);
    else if (world.selected) world.select(world.selected);
  });
  return { tools, measuring };
}

/** Fill an element; `keys` is where keys are listened to. */
export function makeViewer(root, data, keys = root) {
  const world = new World(data);
  const { canvas, triad, layer, stage, panel } = frame(root, data);
  try {
    world.stage = new Stage(world, canvas, triad);
  } catch {
    stage.append(make("p", { className: "trouble" }, "This browser has no WebGL 2, so the assembly cannot be shown."));
    return world;
  }
  followTheme(world, root);
  makeParts(world);
  const { tools, measuring } = makeTools(world, layer, canvas);
  const poses = (world.poses = new Poses(world));
  const player = (world.player = new Player(world));
  const looks = LOOKS.map((name) => button(name[0].toUpperCase() + name.slice(1), () => world.stage.look(name)));
  stage.append(make("div", { className: "looks" }, ...looks), player.reason, make("div", { className: "foot" }, tools.cards, tools.bar));
  const chart = new Chart(world, measuring);
  const sections = [player.section(), chart.section, player.positions(), player.contacts(), poses.modeSection(), poses.freeSection(), partList(world), mateList(world)];
  panel.append(...sections.filter(Boolean));
  listen(world, keys, tools);
  startPlace(world.active);
  if (world.active) player.show(world.active);
  else world.tell("moved");
  world.stage.look("home");
  return world;
}
