/* The states of a motion, and those between. */
import { floats } from "./pack.js";
import { STRIDE } from "./parts.js";

const CLOSE = 100; // states of a slider from which it stops at them

export class Run {
  constructor(run, parts) {
    Object.assign(this, run, { parts, sizes: run.axes.map((axis) => axis.values.length), reason: "" });
    this.poses = floats(run.poses);
    this.at = run.axes.map((axis) => axis.start);
    this.last = 0; // the slider that was moved last
    this.curves = run.curves.map((curve) => ({ ...curve, values: floats(curve.values) }));
    this.near = run.near.map((pair) => ({ ...pair, values: floats(pair.values) }));
    this.byName = new Map(this.curves.map((curve) => [`${curve.mate} ${curve.name}`, curve.values]));
    this.shown = []; // states with their weights
  }

  get atStart() {
    return this.axes.every((axis, a) => axis.start === this.at[a]);
  }

  /** Whether what is shown was computed: a state, or where it began; else it is between states. */
  get exact() {
    return this.atStart || this.at.every(Number.isInteger);
  }

  rewind() {
    this.at = this.axes.map((axis) => axis.start);
  }

  valid(state) {
    return !Number.isNaN(this.poses[state * this.parts * STRIDE]);
  }

  /** The pose of a part in a state. */
  pose(state, part) {
    const first = (state * this.parts + part) * STRIDE;
    return this.poses.subarray(first, first + STRIDE);
  }

  /** The values of a coordinate of a mate over the states; nothing where it does not change. */
  curve(mate, name) {
    return this.byName.get(`${mate} ${name}`);
  }

  /** A value over the states where it is shown. */
  blended(values) {
    return this.shown.reduce((sum, [state, weight]) => sum + weight * values[state], 0);
  }

  /** The distance of a pair of parts where they are shown, mm: 0 in contact. */
  distance(pair) {
    if (this.reason) return NaN;
    const met = this.axes.some((axis, a) => axis.marks.some((mark) =>
      Math.abs(mark.at - this.at[a]) < 1e-9 && pair.parts.every((name) => mark.parts.includes(name))));
    return met ? 0 : this.blended(pair.values); // a contact is between two states
  }

  /** The states along the slider that was moved last, the others where they stand. */
  line() {
    return this.axes[this.last].values.map((_, k) =>
      this.sizes.reduce((state, size, a) => state * size + (a === this.last ? k : Math.round(this.at[a])), 0));
  }

  /** States around a place, with weights: 2 for one axis, 4 for two, ... */
  around(at) {
    let out = [[0, 1]];
    this.sizes.forEach((size, a) => {
      const k = Math.min(Math.floor(at[a]), size - 1);
      const share = Math.min(at[a] - k, 1);
      out = out.flatMap(([state, weight]) => [
        [state * size + k, weight * (1 - share)],
        [state * size + Math.min(k + 1, size - 1), weight * share],
      ]);
      out = out.filter(([, weight]) => weight > 0);
    });
    return out;
  }

  /** The states that are shown: where a neighbouring one is not valid only a whole one. */
  used(at = this.at) {
    const around = this.around(at);
    if (around.every(([state]) => this.valid(state))) return around;
    return [[around.reduce((a, b) => (b[1] > a[1] ? b : a))[0], 1]];
  }

  /** Set the poses of the parts; where there is no state they stay, and the reason is told. */
  place(parts) {
    const used = this.used();
    const here = used[0][0];
    this.reason = this.valid(here) ? "" : this.reasons[this.which[here]];
    if (this.reason) return;
    this.shown = used;
    this.solved = this.atStart && used.length > 1; // where drivers have values between two states
    parts.forEach((part, p) => (this.solved ? part.pose.set(part.home) : this.blend(used, p, part.pose)));
  }

  /** The pose of a part between states. */
  blend(used, p, pose) {
    const count = this.parts * STRIDE;
    const first = used[0][0] * count + p * STRIDE;
    pose.fill(0);
    for (const [state, weight] of used) {
      const from = state * count + p * STRIDE;
      let sign = 0;
      for (let k = 3; k < 7; k++) sign += this.poses[first + k] * this.poses[from + k];
      for (let k = 0; k < 3; k++) pose[k] += weight * this.poses[from + k];
      for (let k = 3; k < 7; k++) pose[k] += weight * (sign < 0 ? -1 : 1) * this.poses[from + k];
    }
    const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
    for (let k = 3; k < 7; k++) pose[k] /= length;
  }

  /** The value of a slider where it stands. */
  value(a, at = this.at[a]) {
    const { values } = this.axes[a];
    const k = Math.min(Math.floor(at), values.length - 1);
    return values[k] + (at - k) * (values[Math.min(k + 1, values.length - 1)] - values[k]);
  }

  /** Where a slider stops that is moved by hand: at the states, where they are close. */
  stop(a, at) {
    return this.sizes[a] > CLOSE ? Math.round(at) : at;
  }

  /** Whether its sliders have these values by name, and no other is wanted. */
  reaches(values) {
    const within = ([name, value]) => {
      const axis = this.axes.find((one) => one.name === name);
      return axis && Math.min(...axis.values) <= value && value <= Math.max(...axis.values);
    };
    return Object.entries(values).every(within);
  }

  /** Where a slider has a value: its values rise or fall, unevenly where states were added. */
  placeOf(a, wanted) {
    const { values } = this.axes[a];
    const way = values[values.length - 1] >= values[0] ? 1 : -1;
    const next = values.findIndex((v) => way * v > way * wanted);
    const k = next < 0 ? values.length - 2 : Math.max(next - 1, 0);
    return Math.max(0, Math.min(values.length - 1, k + (wanted - values[k]) / (values[k + 1] - values[k])));
  }

  /** Go on by a share of the range; at an end it turns back, a whole turn begins again. */
  step(a, way, share) {
    const end = this.sizes[a] - 1;
    const before = this.at[a];
    const over = before + way * share * end;
    const again = this.axes[a].turns && over >= end;
    this.at[a] = again ? 0 : Math.max(0, Math.min(end, over));
    if (!this.used().every(([state]) => this.valid(state))) {
      this.at[a] = before; // turn back where the motion ends
      return -way;
    }
    return again ? 1 : over >= end ? -1 : over <= 0 ? 1 : way;
  }
}
