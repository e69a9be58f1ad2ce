/* Poses that are no states of a motion: free motions as a wiggle, assembly modes, positions. */
import { button, make, told } from "./dom.js";
import { floats } from "./pack.js";
import { STRIDE } from "./parts.js";

const LENGTH = 2000; // ms of a wiggle: to both sides, twice
const FAR = 0.07; // of the size of the scene: how far the farthest part goes
const TURN = 0.3; // rad: how far it turns at most

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** A pose moved along a twist (velocity at the middle of the scene, spin) for a time. */
export function along(pose, twist, time, out) {
  const spin = Math.hypot(twist[3], twist[4], twist[5]);
  const v = [twist[0] * time, twist[1] * time, twist[2] * time];
  if (spin * Math.abs(time) < 1e-9) {
    for (let k = 0; k < 3; k++) out[k] = pose[k] + v[k];
    for (let k = 3; k < STRIDE; k++) out[k] = pose[k];
    return;
  }
  const angle = spin * time;
  const w = [twist[3] / spin, twist[4] / spin, twist[5] / spin];
  const turned = (p) => {
    const [one, two] = [cross(w, p), cross(w, cross(w, p))];
    return p.map((x, k) => x + Math.sin(angle) * one[k] + (1 - Math.cos(angle)) * two[k]);
  };
  const [one, two] = [cross(w, v), cross(w, cross(w, v))];
  const slide = v.map((x, k) => x + ((1 - Math.cos(angle)) / angle) * one[k] + ((angle - Math.sin(angle)) / angle) * two[k]);
  turned([pose[0], pose[1], pose[2]]).forEach((x, k) => (out[k] = x + slide[k]));
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  const q = [pose[4], pose[5], pose[6]];
  const turn = cross(w, q);
  out[3] = c * pose[3] - s * (w[0] * q[0] + w[1] * q[1] + w[2] * q[2]);
  for (let k = 0; k < 3; k++) out[4 + k] = c * q[k] + s * (pose[3] * w[k] + turn[k]);
}

export class Poses {
  constructor(world) {
    Object.assign(this, { world, wiggling: null });
  }

  /** Stand as solved: where the sliders begin. */
  home() {
    const { world } = this;
    this.wiggling = null;
    if (world.modeShown) world.stage.frameOn();
    world.modeShown = null;
    world.position = null;
    world.player.rest();
    for (const run of world.runs) run.rewind();
    if (world.active) return world.player.show(world.active);
    world.parts.forEach((part) => part.pose.set(part.home));
    return world.tell("moved");
  }

  /** The twists of a free motion by part, and the time after which it is as far out as it shall be. */
  #twists(motion) {
    const { world } = this;
    const all = floats(motion.twists);
    const parts = motion.parts.map((number, k) => ({ part: world.parts[number], twist: all.subarray(6 * k, 6 * k + 6) }));
    let [fastest, spin] = [0, 0];
    for (const { part, twist } of parts) {
      const w = [twist[3], twist[4], twist[5]];
      spin = Math.max(spin, Math.hypot(...w));
      const box = part.geometry.faces.boundingBox;
      for (let k = 0; k < 8; k++) {
        const corner = box.min.clone();
        for (let r = 0; r < 3; r++) if ((k >> r) & 1) corner.setComponent(r, box.max.getComponent(r));
        const turning = cross(w, corner.applyMatrix4(part.frame).toArray());
        fastest = Math.max(fastest, Math.hypot(...turning.map((x, r) => x + twist[r])));
      }
    }
    const far = (FAR * world.data.reach) / (fastest || 1);
    return { parts, time: spin ? Math.min(far, TURN / spin) : far };
  }

  wiggle(motion) {
    const { world } = this;
    this.home();
    world.parts.forEach((part) => part.pose.set(part.home));
    world.tell("moved");
    const { parts, time } = this.#twists(motion);
    this.wiggling = motion;
    const begin = performance.now();
    const tick = (now) => {
      if (this.wiggling !== motion) return;
      const share = (now - begin) / LENGTH;
      if (share >= 1) return void this.home();
      world.modeShown = motion.title;
      const out = time * Math.sin(4 * Math.PI * Math.max(share, 0)) * Math.sin(Math.PI * Math.max(share, 0));
      for (const { part, twist } of parts) along(part.home, twist, out, part.pose);
      world.tell("moved");
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Show poses with a name of their own: a mode, or a position that no sliders reach. */
  show(poses, name, position = null) {
    this.home();
    const { world } = this;
    const all = floats(poses);
    world.parts.forEach((part, p) => part.pose.set(all.subarray(p * STRIDE, (p + 1) * STRIDE)));
    world.modeShown = name;
    world.position = position;
    world.tell("moved");
    world.stage.frameOn(world.parts.map((part) => part.room()));
  }

  freeSection() {
    const { free } = this.world.data;
    if (!free.length) return null;
    let alike = 0; // motions in a row that the same holds: it is said once, below them
    const rows = free.map((motion, k) => {
      alike += 1;
      const last = free[k + 1]?.held !== motion.held;
      const held = motion.held && last ? ` ${alike > 1 ? `these ${alike}: ` : ""}${motion.held}` : "";
      if (last) alike = 0;
      return make("li", {}, button(motion.title, () => this.wiggle(motion), { title: motion.words }),
        held ? make("span", { className: "soft" }, held) : null);
    });
    return make("section", { className: "free" }, make("h2", {}, "Free motions"), make("ul", {}, ...rows));
  }

  modeSection() {
    const { modes } = this.world.data;
    if (!modes.length) return null;
    const rows = modes.map((mode) => {
      const one = button(`mode ${mode.name}`, () => this.show(mode.poses, `mode ${mode.name}`), { title: `${told(mode.distance, 1, "mm")} from the start` });
      this.world.on("moved", () => (one.ariaPressed = String(this.world.modeShown === `mode ${mode.name}`)));
      return one;
    });
    return make("section", { className: "modes" }, make("h2", {}, "Assembly modes"),
      make("div", { className: "row" }, button("as solved", () => this.home()), ...rows));
  }
}
