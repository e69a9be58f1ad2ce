/* Sliders that move the parts, and play. */
import { button, make, told } from "./dom.js";
import { Run } from "./motion.js";

const SECONDS = 4; // for a range at speed 1
const MOST = 40; // events that are listed
const SPEEDS = [["1/4", 0.25], ["1/2", 0.5], ["1", 1], ["2", 2]];

class Control {
  constructor(player, run, a) {
    Object.assign(this, { player, run, a, axis: run.axes[a] });
    const { axis } = this;
    const end = axis.values.length - 1;
    const range = { type: "range", min: 0, max: end, step: "any", value: axis.start, ariaLabel: axis.name };
    this.slider = make("input", { ...range, oninput: () => this.#moved() });
    this.output = make("output");
    this.button = button("▶", () => player.toggle(this));
    const marks = axis.marks.map((mark) => {
      const tick = make("i", { title: mark.words });
      tick.style.left = `${(100 * mark.at) / end}%`;
      return tick;
    });
    const rail = make("div", { className: "rail" }, this.slider, make("div", { className: "marks" }, ...marks));
    this.row = make("div", { className: "control" },
      make("div", { className: "head" }, make("span", { className: "what", title: axis.words }, axis.name), this.output),
      make("div", { className: "row" }, this.button, rail));
    this.shown(false);
  }

  #moved() {
    this.run.at[this.a] = this.run.stop(this.a, Number(this.slider.value));
    this.player.stop(this);
    this.player.show(this.run, this.a);
  }

  /** Show where its slider stands, and whether it plays. */
  shown(plays) {
    this.slider.value = this.run.at[this.a];
    this.output.textContent = told(this.run.value(this.a), this.axis.digits, this.axis.unit);
    this.slider.setAttribute("aria-valuetext", this.output.textContent);
    this.button.textContent = plays ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", `${plays ? "Pause" : "Play"} ${this.axis.name}`);
  }
}

export class Player {
  constructor(world) {
    this.world = world;
    this.playing = new Map(); // control -> direction
    this.ticking = false;
    world.runs = world.data.runs.map((run) => new Run(run, world.parts.length));
    world.active = world.runs[0];
    this.controls = world.runs.flatMap((run) => run.axes.map((_, a) => new Control(this, run, a)));
    this.speed = make("select", { ariaLabel: "speed" },
      ...SPEEDS.map(([words, value]) => make("option", { value, selected: value === 1 }, words)));
    this.reason = make("p", { className: "reason", role: "status", hidden: true });
  }

  /** The sliders; null without any. */
  section() {
    if (!this.controls.length) return null;
    const title = make("h2", {}, "Motion ", make("label", {}, "speed ", this.speed));
    return make("section", { className: "motion" }, title, ...this.controls.map((control) => control.row));
  }

  /** Show a state of a run; `met`: names of parts that touch there. */
  show(run, a = run.last, met = []) {
    const { world } = this;
    world.touching = met;
    world.modeShown = null;
    world.position = null;
    world.poses.wiggling = null;
    run.last = a;
    if (world.active !== run) {
      for (const control of this.playing.keys()) if (control.run !== run) this.stop(control);
      world.active = run;
      for (const other of world.runs) if (other !== run) other.rewind();
    }
    run.place(world.parts);
    if (!met.length) world.touching = run.near.filter((pair) => run.distance(pair) <= 0).flatMap(({ parts }) => parts);
    for (const control of this.controls) control.shown(this.playing.has(control));
    this.reason.textContent = run.reason;
    this.reason.hidden = !run.reason;
    world.tell("moved");
  }

  /** Where the sliders stand by name, mm or degrees. */
  values() {
    return Object.fromEntries(this.controls.map(({ axis, run, a }) => [axis.name, run.value(a)]));
  }

  /** Move sliders to values by name; shown is the run of the last one that is elsewhere. */
  move(values) {
    this.rest();
    const moved = this.controls.filter(({ axis, run, a }) => axis.name in values && Math.abs(values[axis.name] - run.value(a)) > 1e-9);
    if (!moved.length) return;
    const { run } = moved[moved.length - 1];
    for (const control of moved) if (control.run === run) run.at[control.a] = run.placeOf(control.a, values[control.axis.name]);
    this.show(run, moved[moved.length - 1].a);
  }

  /** Go to an event of a run. */
  go(run, a, mark) {
    this.rest();
    run.at[a] = mark.at;
    this.show(run, a, mark.parts);
  }

  rest() {
    for (const control of [...this.playing.keys()]) this.stop(control);
  }

  stop(control) {
    this.playing.delete(control);
    control.shown(false);
  }

  toggle(control) {
    if (this.playing.has(control)) return this.stop(control);
    this.show(control.run, control.a);
    this.playing.set(control, control.run.at[control.a] >= control.run.sizes[control.a] - 1 ? -1 : 1);
    control.shown(true);
    if (this.ticking) return undefined;
    this.ticking = true;
    this.before = 0;
    return requestAnimationFrame((now) => this.#tick(now));
  }

  /** Play or rest: the slider that was moved last. */
  playOrRest() {
    if (this.playing.size) return this.rest();
    const { active } = this.world;
    const control = this.controls.find((one) => one.run === active && one.a === active.last);
    return control && this.toggle(control);
  }

  /** One picture of what plays. */
  #tick(now) {
    this.ticking = this.playing.size > 0;
    if (!this.ticking) return;
    const passed = this.before ? Math.min(now - this.before, 100) / 1000 : 0;
    this.before = now;
    let shown = null;
    for (const [control, way] of this.playing) {
      shown = control;
      this.playing.set(control, control.run.step(control.a, way, (passed * Number(this.speed.value)) / SECONDS));
    }
    this.show(shown.run, shown.a);
    requestAnimationFrame((next) => this.#tick(next));
  }

  /** The named positions, and the events of the motions, as dead points and limits, to be gone to; and where all began. */
  positions() {
    const { world } = this;
    const named = world.data.positions.map((position) => {
      const one = button(position.name, () => this.stand(position), { title: position.words, disabled: !position.poses });
      world.on("moved", () => (one.ariaPressed = String(world.position === position.name)));
      return make("li", {}, one);
    });
    const events = world.runs.flatMap((run) => this.#marks(run, (mark) => !mark.parts.length)).slice(0, MOST);
    if (!events.length && !named.length) return null;
    const home = button("as solved", () => world.poses.home());
    return make("section", { className: "positions" }, make("h2", {}, "Positions"), make("ul", {}, make("li", {}, home), ...named, ...events));
  }

  /** Stand in a named position: by the sliders, where one motion has all its values. */
  stand(position) {
    const { world } = this;
    const run = [world.active, ...world.runs].find((one) => one?.reaches(position.values));
    if (!run) return world.poses.show(position.poses, `position ${position.name}`, position.name);
    this.rest();
    run.axes.forEach(({ name }, a) => name in position.values && (run.at[a] = run.placeOf(a, position.values[name])));
    this.show(run);
    world.position = position.name;
    return world.tell("moved");
  }

  /** Go on to the next named position, if there is one. */
  standNext() {
    const { position, data } = this.world;
    const known = data.positions.filter(({ poses }) => poses);
    if (!known.length) return false;
    this.stand(known[(known.findIndex(({ name }) => name === position) + 1) % known.length]);
    return true;
  }

  /** What each motion was watched for, and its contacts: pressed, one is shown with its parts marked. */
  contacts() {
    const watched = this.world.runs.filter((run) => run.watched || run.near.length);
    if (!watched.length) return null;
    const lines = watched.flatMap((run) => [
      make("li", {}, [run.axes.map((axis) => axis.name).join(", "), run.watched].filter(Boolean).join(": ")),
      ...this.#marks(run, (mark) => mark.parts.length),
      ...run.near.map((pair) => this.#distance(run, pair)),
    ]);
    return make("section", { className: "contact" }, make("h2", {}, "Contact"), make("ul", {}, ...lines));
  }

  /** How far a pair of parts is apart where its motion stands. */
  #distance(run, pair) {
    const output = make("output");
    const line = make("li", { className: "near" }, `${pair.parts.join(" – ")} `, output);
    this.world.on("moved", () => {
      const apart = this.world.active === run ? run.distance(pair) : NaN;
      output.textContent = Number.isNaN(apart) ? "" : apart > 0 ? told(apart, 3, "mm") : "in contact";
    });
    return line;
  }

  #marks(run, which) {
    return run.axes.flatMap((axis, a) =>
      axis.marks.filter(which).map((mark) => make("li", {}, button(mark.words, () => this.go(run, a, mark)))));
  }
}
