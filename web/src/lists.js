/* The lists of parts and mates: what is picked in one is picked in the picture. */
import { make } from "./dom.js";

/** Rows that follow what is pointed at and picked, and that point and pick themselves. */
function follow(world, thing, row, name) {
  row.addEventListener("pointerenter", () => world.hover(thing));
  row.addEventListener("pointerleave", () => world.hover(null));
  row.addEventListener("focusin", () => world.hover(thing));
  row.addEventListener("focusout", () => world.hover(null));
  name.addEventListener("click", () => world.select(thing));
  const mark = () => {
    const near = world.selected && world.selected !== thing && (world.selected.parts?.includes(thing) || thing.parts?.includes(world.selected));
    row.classList.toggle("over", world.hovered === thing);
    row.classList.toggle("on", world.selected === thing);
    row.classList.toggle("near", Boolean(near));
    name.ariaPressed = String(world.selected === thing);
  };
  world.on("hovered", mark);
  world.on("selected", () => {
    mark();
    const panel = row.closest(".panel");
    if (world.selected !== thing || row.contains(document.activeElement) || !panel) return;
    const [box, all] = [row.getBoundingClientRect(), panel.getBoundingClientRect()];
    if (box.top < all.top || box.bottom > all.bottom) panel.scrollTop += box.top - all.top - all.height / 3;
  });
  return row;
}

function partRow(world, part) {
  const box = make("input", { type: "checkbox", checked: true, ariaLabel: `show ${part.name}`, onchange: () => {
    part.seen = box.checked;
    world.tell("shown");
  } });
  const chip = make("span", { className: "chip" });
  chip.style.background = `#${part.tint.getHexString()}`;
  const name = make("button", { type: "button", className: "name" }, chip, make("span", { className: "what" }, part.name),
    part.grounded ? make("span", { className: "soft" }, "held") : null);
  return follow(world, part, make("li", {}, box, name), name);
}

function mateRow(world, mate) {
  const values = make("output");
  const name = make("button", { type: "button", className: "name" }, make("i", { className: `sign ${mate.motion}` }),
    make("span", { className: "what" }, mate.name, values));
  const update = () => {
    const now = [mate.kind, ...mate.values()].join(" · ");
    if (values.textContent !== now) values.textContent = now;
  };
  world.on("moved", update);
  update();
  return follow(world, mate, make("li", {}, name), name);
}

function list(title, kind, rows) {
  return rows.length ? make("section", {}, make("h2", {}, title), make("ul", { className: `rows ${kind}` }, ...rows)) : null;
}

export const partList = (world) => list("Parts", "parts", world.parts.map((part) => partRow(world, part)));
export const mateList = (world) => list("Joints and mates", "mates", world.mates.map((mate) => mateRow(world, mate)));
