/* The mates: where they are, what their coordinates are, and the marks by which they are picked in the picture. */
import { ArrowHelper, BufferGeometry, Line, LineBasicMaterial, Vector3 } from "three";
import { make, told } from "./dom.js";

const FEW = 120; // marks up to which all of them can be shown at once

export class Mate {
  constructor(world, number) {
    const entry = world.data.mates[number];
    Object.assign(this, { world, number, ...entry });
    this.ends = entry.ends.map(([part, feature]) => ({ part: world.parts[part], feature: world.parts[part].feature(feature) }));
    this.parts = [...new Set(this.ends.map((end) => end.part))];
  }

  /** Couplings take over the parts of the mates that they couple. */
  join() {
    this.parts = [...new Set([...this.parts, ...this.of.flatMap((number) => this.world.mates[number].parts)])];
  }

  /** Where its first feature with a direction is drawn, and the direction; null for a coupling. */
  place() {
    const end = this.ends.find(({ feature }) => feature.kind !== "point") ?? this.ends[0];
    return end ? { at: end.part.drawn(end.feature.at), z: end.part.turned(end.feature.z), directed: end.feature.kind !== "point" } : null;
  }

  /** How it moves, for its mark: it turns, it slides only, or anything else. */
  get motion() {
    const names = this.coordinates.map((coordinate) => coordinate.name);
    return names.includes("angle") ? "turns" : names.includes("length") ? "slides" : "other";
  }

  /** Its coordinates where the parts stand, as texts; none where they are not known. */
  values() {
    const { world } = this;
    if (world.modeShown) return [];
    const { active } = world;
    return this.coordinates.filter(({ value }) => value !== null).map(({ name, unit, value }) => {
      const curve = active?.curve(this.number, name);
      const now = !curve || active.solved ? value : active.blended(curve);
      return (curve && !active.exact ? "≈ " : "") + told(now, unit === "deg" ? 1 : 2, unit);
    });
  }
}

/** Marks over the picture: one for the mates of the same parts at one place. */
class Marks {
  constructor(world, layer) {
    Object.assign(this, { world, layer, all: false });
    const groups = new Map();
    for (const mate of world.mates) {
      const place = mate.place();
      if (!place || mate.parts.length < 2) continue;
      const near = place.at.toArray().map((x) => Math.round((50 * x) / world.data.reach));
      const key = [...mate.parts.map((part) => part.number).sort(), ...near].join(" ");
      groups.set(key, [...(groups.get(key) ?? []), mate]);
    }
    this.groups = [...groups.values()];
    this.buttons = this.groups.map((mates) => this.#mark(mates));
    layer.append(...this.buttons);
    for (const event of ["hovered", "selected", "drawn", "shown"]) world.on(event, () => this.place());
  }

  #mark(mates) {
    const { world } = this;
    const found = mates.find((mate) => mate.motion !== "other") ?? mates[0];
    const next = () => mates[(mates.indexOf(world.selected) + 1) % mates.length];
    return make("button", {
      type: "button", className: `mark ${found.motion}`, hidden: true, title: mates.map((mate) => mate.name).join(", "),
      ariaLabel: `joint ${mates.map((mate) => mate.name).join(", ")}`,
      onclick: () => world.select(mates.length > 1 && mates.includes(world.selected) ? next() : found),
      onpointerenter: () => world.hover(mates.includes(world.selected) ? world.selected : found),
      onpointerleave: () => world.hover(null),
    });
  }

  show(all) {
    this.all = all;
    this.place();
  }

  place() {
    const { world } = this;
    this.groups.forEach((mates, k) => {
      const mark = this.buttons[k];
      const near = (thing) => mates.includes(thing) || (thing?.mesh && mates[0].parts.includes(thing));
      const picked = near(world.selected) || mates.includes(world.hovered);
      const wanted = (this.all && this.groups.length <= FEW) || picked;
      const at = wanted && mates[0].parts.some((part) => part.seen) ? world.stage.seen(mates[0].place().at) : null;
      mark.hidden = !at;
      mark.classList.toggle("on", mates.includes(world.selected));
      if (at) mark.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    });
  }
}

/** The axis of the mate that is pointed at or picked, seen through the parts. */
function showAxis(world) {
  const material = new LineBasicMaterial({ depthTest: false, transparent: true });
  const line = new Line(new BufferGeometry(), material);
  const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1);
  for (const object of [line, arrow.line, arrow.cone]) object.renderOrder = 1e6;
  for (const part of [arrow.line, arrow.cone]) Object.assign(part.material, { depthTest: false, transparent: true });
  world.stage.scene.add(line, arrow);
  const update = () => {
    const mate = [world.hovered, world.selected].find((thing) => thing?.ends);
    const place = mate?.place();
    line.visible = Boolean(place?.directed);
    arrow.visible = line.visible;
    if (line.visible) {
      const far = 0.35 * world.data.reach;
      const ends = [-1, 1].map((way) => place.at.clone().addScaledVector(place.z, way * far));
      line.geometry.setFromPoints(ends);
      line.geometry.computeBoundingSphere();
      arrow.position.copy(place.at);
      arrow.setDirection(place.z);
      arrow.setLength(far, 0.12 * far, 0.06 * far);
      const tint = world.dark ? "#7ab8f5" : "#0b5cad";
      material.color.set(tint);
      arrow.setColor(tint);
    }
    world.stage.redraw();
  };
  for (const event of ["hovered", "selected", "moved"]) world.on(event, update);
}

/** The mates, their marks in a layer over the picture, and the axis of the one that is picked. */
export function makeMates(world, layer) {
  world.mates = world.data.mates.map((_, number) => new Mate(world, number));
  world.mates.forEach((mate) => mate.join());
  world.parts.forEach((part) => part.stand());
  world.parts.forEach((part) => part.settle());
  showAxis(world);
  return new Marks(world, layer);
}
