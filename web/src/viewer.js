/* The viewer in an element: what stands where, and the keys. */
import { button, draw, make } from "./dom.js";
import { partList } from "./lists.js";
import { makeParts } from "./parts.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";
import { World } from "./world.js";

const LOOKS = ["home", "front", "right", "top"];

function frame(root, data) {
  const canvas = make("canvas", { tabIndex: 0, role: "img", ariaLabel:
    `${data.name} in 3D: drag to turn, shift or right button to move, wheel to zoom; ` +
    "arrow keys, plus, minus and 0 do the same" });
  const triad = draw("svg", { class: "triad", viewBox: "-42 -42 84 84", "aria-hidden": "true" });
  const stage = make("div", { className: "stage" }, canvas, triad);
  const panel = make("aside", { className: "panel" }, make("h1", {}, data.name), make("p", {}, data.sentence));
  root.classList.add("asm-viewer");
  root.replaceChildren(stage, panel);
  return { canvas, triad, stage, panel };
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
  apply();
}

/** Start where the address says: #at=0.25,0.5, shares of the sliders. */
function startPlace(run) {
  if (!location.hash.startsWith("#at=") || !run) return;
  location.hash.slice(4).split(",").slice(0, run.sizes.length).forEach((share, a) => {
    run.at[a] = Math.max(0, Math.min(1, Number(share))) * (run.sizes[a] - 1);
  });
}

export function makeViewer(root, data) {
  const world = new World(data);
  const { canvas, triad, stage, panel } = frame(root, data);
  try {
    world.stage = new Stage(world, canvas, triad);
  } catch {
    stage.append(make("p", { className: "trouble" }, "This browser has no WebGL 2, so the assembly cannot be shown."));
    return world;
  }
  followTheme(world, root);
  makeParts(world);
  const player = (world.player = new Player(world));
  const looks = LOOKS.map((name) => button(name[0].toUpperCase() + name.slice(1), () => world.stage.look(name)));
  stage.append(make("div", { className: "looks" }, ...looks), player.reason);
  panel.append(...[player.section(), player.contacts(), partList(world)].filter(Boolean));
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !world.stage.key(event)) return;
    event.preventDefault();
  });
  startPlace(world.active);
  if (world.active) player.show(world.active);
  else world.tell("moved");
  world.stage.look("home");
  return world;
}
