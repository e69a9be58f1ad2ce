/* The exploded view: parts go out along the axes of their mates, until none is in the way of another. */
import { BufferGeometry, Float32BufferAttribute, LineDashedMaterial, LineSegments, Vector3 } from "three";
import { make } from "./dom.js";

const GAP = 0.02; // of the size of the scene, between parts
const OUTWARD = 2; // as much longer may the way be that leads away from the other part
const MOMENT = 400; // ms in which they go out
const ALONG = 0.2; // cosine from which a side of a box is passed by going along a direction

/** How each pair of parts is tied: the direction of their first mate that has one, in the first part. */
function ties(world) {
  const out = new Map(world.parts.map((part) => [part, new Map()]));
  for (const mate of world.mates) {
    const [a, b] = mate.ends;
    if (!b || a.part === b.part) continue;
    const directed = [a, b].find(({ feature }) => feature.kind !== "point");
    const z = directed ? directed.part.turned(directed.feature.z) : null;
    for (const [one, other] of [[a.part, b.part], [b.part, a.part]])
      if (!out.get(one).get(other)) out.get(one).set(other, z);
  }
  return out;
}

/** How far a box has to go along a direction until it is clear of the others. */
function clear(box, direction, others, gap) {
  const moved = box.clone();
  let far = 0;
  for (let round = 0; round <= others.length; round++) {
    const inTheWay = others.find((other) => other.intersectsBox(moved));
    if (!inTheWay) break;
    const ways = [0, 1, 2].filter((k) => Math.abs(direction.getComponent(k)) > ALONG).map((k) => {
      const d = direction.getComponent(k);
      const over = d > 0 ? inTheWay.max.getComponent(k) - moved.min.getComponent(k) : moved.max.getComponent(k) - inTheWay.min.getComponent(k);
      return (over + gap) / Math.abs(d);
    });
    const step = Math.min(...ways);
    far += step;
    moved.translate(direction.clone().multiplyScalar(step));
  }
  return { far, moved };
}

export class Explode {
  constructor(world) {
    Object.assign(this, { world, share: 0, order: null });
    this.slider = make("input", { type: "range", min: 0, max: 1, step: "any", value: 0, ariaLabel: "how far apart", oninput: () => this.#set() });
    this.card = make("div", { className: "card explode" }, make("span", {}, "Apart"), this.slider);
    this.lines = new LineSegments(new BufferGeometry(), new LineDashedMaterial({ transparent: true, opacity: 0.7 }));
    this.lines.visible = false;
    world.stage.scene.add(this.lines);
    world.on("placing", () => this.#place());
    world.on("moved", () => this.#tie());
  }

  /** Go out, or back, within a moment. */
  toggle(on) {
    const [from, begin] = [this.share, performance.now()];
    this.going = on;
    const tick = (now) => {
      if (this.going !== on) return;
      const passed = Math.min(1, Math.max(0, now - begin) / MOMENT);
      this.slider.value = from + ((on ? 1 : 0) - from) * passed;
      this.#set();
      if (passed < 1) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  #set() {
    this.share = Number(this.slider.value);
    this.order ??= this.#plan();
    this.world.stage.frameOn(this.share ? this.boxes : []);
    this.world.tell("moved");
  }

  /** From the parts that are held outward, each part after the one that it is tied to. */
  #plan() {
    const { world } = this;
    const tied = ties(world);
    const boxes = new Map(world.parts.map((part) => [part, part.room()]));
    const size = (part) => boxes.get(part).getSize(new Vector3()).length();
    const held = world.parts.filter((part) => part.grounded);
    const roots = held.length ? held : [world.parts.reduce((a, b) => (size(b) > size(a) ? b : a))];
    const placed = roots.map((part) => boxes.get(part));
    const shifts = new Map(roots.map((part) => [part, new Vector3()]));
    const order = [];
    for (const from of shifts.keys())
      for (const [part, z] of tied.get(from)) {
        if (shifts.has(part)) continue;
        const start = boxes.get(part).clone().translate(shifts.get(from));
        const between = start.getCenter(new Vector3()).sub(boxes.get(from).getCenter(new Vector3()).add(shifts.get(from)));
        const axis = z ?? (between.length() > 0 ? between.clone().normalize() : world.stage.up);
        const outward = axis.dot(between) < 0 ? -1 : 1;
        const both = [outward, -outward].map((way) => {
          const direction = axis.clone().multiplyScalar(way);
          return { direction, ...clear(start, direction, placed, GAP * world.data.reach) };
        });
        const { direction, far, moved } = both[0].far <= OUTWARD * both[1].far ? both[0] : both[1];
        placed.push(moved);
        shifts.set(part, shifts.get(from).clone().addScaledVector(direction, far));
        order.push({ part, from, local: direction.transformDirection(from.frame.clone().invert()), far });
      }
    this.boxes = placed;
    return order;
  }

  /** The offsets of the parts where they stand now: the axes move with the parts. */
  #place() {
    for (const { part, from, local, far } of this.order ?? [])
      part.offset.copy(from.offset).addScaledVector(from.turned(local), this.share * far);
  }

  /** Dashed lines between the two ends of each mate. */
  #tie() {
    this.lines.visible = this.share > 0;
    if (!this.lines.visible) return;
    const ends = this.world.mates.flatMap(({ ends: [a, b] }) => (b ? [a, b].map(({ part, feature }) => part.drawn(feature.at)) : []));
    this.lines.geometry.setAttribute("position", new Float32BufferAttribute(ends.flatMap((end) => end.toArray()), 3));
    this.lines.geometry.computeBoundingSphere();
    this.lines.computeLineDistances();
    Object.assign(this.lines.material, { dashSize: 0.02 * this.world.data.reach, gapSize: 0.014 * this.world.data.reach });
    this.lines.material.color.set(this.world.dark ? "#7ab8f5" : "#0b5cad");
  }
}
