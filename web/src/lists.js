/* The list of the parts. */
import { make } from "./dom.js";

function partRow(world, part) {
  const box = make("input", { type: "checkbox", checked: true, onchange: () => {
    part.seen = box.checked;
    world.tell("shown");
  } });
  const chip = make("span", { className: "chip" });
  chip.style.background = `#${part.tint.getHexString()}`;
  const label = make("label", {}, box, chip, make("span", { className: "what" }, part.name),
    part.grounded ? make("span", { className: "held" }, "held") : null);
  for (const event of ["pointerenter", "focusin"]) label.addEventListener(event, () => world.hover(part));
  for (const event of ["pointerleave", "focusout"]) label.addEventListener(event, () => world.hover(null));
  return make("li", {}, label);
}

export function partList(world) {
  const rows = world.parts.map((part) => partRow(world, part));
  return make("section", {}, make("h2", {}, "Parts"), make("ul", { className: "parts" }, ...rows));
}
