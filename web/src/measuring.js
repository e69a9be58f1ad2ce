/* The tool that measures between two features, live while the parts move. */
import { BufferGeometry, Line, LineBasicMaterial, Matrix4, Quaternion, Vector3 } from "three";
import { button, make, told } from "./dom.js";
import { measured } from "./measures.js";

const ONE = new Vector3(1, 1, 1);
const WORDS = ["first", "second"];

/** A feature, or a place on a surface, with its part. */
class Pick {
  constructor(part, feature) {
    Object.assign(this, { part, ...feature });
  }

  get words() {
    return `${this.part.name}: ${this.name}`;
  }

  /** As it stands with the part in a frame (a matrix). */
  in(frame) {
    const z = this.kind === "point" ? null : this.z.clone().transformDirection(frame);
    return { kind: this.kind, at: this.at.clone().applyMatrix4(frame), z };
  }
}

export class Measuring {
  constructor(world, layer) {
    Object.assign(this, { world, layer, active: false, picks: [null, null], shownOf: null, dots: [] });
    const material = new LineBasicMaterial({ depthTest: false, transparent: true });
    this.line = new Line(new BufferGeometry(), material);
    this.line.renderOrder = 1e6;
    this.line.visible = false;
    world.stage.scene.add(this.line);
    this.label = make("output", { className: "label", hidden: true });
    layer.append(this.label);
    this.selects = WORDS.map((word, k) => this.#choice(word, k));
    this.result = make("div", { className: "result", ariaLive: "polite" });
    const clear = button("Clear", () => this.clear(), { className: "small" });
    this.card = make("div", { className: "card measure" }, make("div", { className: "row" }, ...this.selects), this.result, clear);
    world.on("moved", () => this.#tell());
    world.on("theme", () => this.#tell());
    world.on("drawn", () => this.#place());
    world.on("hovered", () => this.active && world.hovered?.mesh && this.#open(world.hovered));
    this.#tell();
  }

  /** A list of all features, for keys and for what is hidden. */
  #choice(word, k) {
    const parts = this.world.parts.map((part) => make("optgroup", { label: part.name },
      ...part.features.names.map((name, n) => make("option", { value: `${part.number} ${n}` }, `${part.name}: ${name}`))));
    const here = make("option", { value: "place", hidden: true });
    const none = make("option", { value: "" }, `${word}: pick it`);
    const select = make("select", { ariaLabel: `${word} feature` }, none, here, ...parts);
    select.addEventListener("change", () => {
      const [part, feature] = select.value.split(" ").map(Number);
      this.picks[k] = select.value ? new Pick(this.world.parts[part], this.world.parts[part].feature(feature)) : null;
      this.#told();
    });
    return select;
  }

  toggle(active) {
    this.active = active;
    this.#open(active && this.world.selected?.mesh ? this.world.selected : null);
    this.#tell();
  }

  clear() {
    this.picks = [null, null];
    this.#told();
  }

  /** Take a feature, or a place on a part; the one that is still missing, else the second anew. */
  take(part, feature) {
    this.picks[this.picks[0] ? 1 : 0] = new Pick(part, feature);
    this.#told();
  }

  /** A click on a part: its features are shown first, where no mouse has pointed at it. */
  click(found) {
    if (!found) return;
    if (this.shownOf !== found.part) return void this.#open(found.part);
    const at = found.point.clone().sub(found.part.offset).applyMatrix4(found.part.frame.clone().invert());
    this.take(found.part, { kind: "point", name: "place on it", at, z: null });
  }

  /** Show the features of a part as dots. */
  #open(part) {
    if (this.shownOf === part) return;
    this.shownOf = part;
    this.dots.forEach((dot) => dot.button.remove());
    this.dots = (part ? part.features.names : []).map((name, k) => {
      const feature = part.feature(k);
      const words = `${part.name}: ${name}`;
      const look = { className: `dot ${feature.kind}`, title: words, ariaLabel: words };
      return { feature, button: button("", () => this.take(part, feature), look) };
    });
    this.layer.append(...this.dots.map((dot) => dot.button));
    this.#place();
  }

  #told() {
    this.picks.forEach((pick, k) => {
      const select = this.selects[k];
      const n = pick ? pick.part.features.names.indexOf(pick.name) : -1;
      select.value = pick ? (n < 0 ? "place" : `${pick.part.number} ${n}`) : "";
      if (n < 0 && pick) select.selectedOptions[0].textContent = pick.words;
    });
    this.#tell();
    this.world.tell("measured");
  }

  /** Distance and angle now; null where two places are not picked. */
  now() {
    const [a, b] = this.picks;
    return a && b ? measured(a.in(a.part.frame), b.in(b.part.frame)) : null;
  }

  /** Distance or angle in a state of a run. */
  in(run, state, what) {
    const [a, b] = this.picks;
    if (!run.valid(state)) return NaN;
    const frames = [a, b].map(({ part }) => {
      const [x, y, z, w, qx, qy, qz] = run.pose(state, part.number);
      return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, w), ONE);
    });
    return measured(a.in(frames[0]), b.in(frames[1]))[what] ?? NaN;
  }

  #tell() {
    const found = this.active ? this.now() : null;
    const ends = found?.ends;
    const { active, modeShown, data } = this.world;
    const exact = modeShown ? !this.world.poses.wiggling : !active || active.exact;
    const about = exact ? "" : "≈ ";
    // single precision has 24 bits; between states poses are interpolated
    const digits = exact ? Math.max(0, Math.min(4, Math.floor(-Math.log10(5e-7 * data.reach)))) : 1;
    const lines = [];
    if (found && ends) {
      const away = ends[1].clone().sub(ends[0]).toArray().map((v) => told(v, Math.min(digits, 2)));
      lines.push(["distance", about + told(found.distance, digits, "mm")], ["x, y, z", about + away.join(", ")]);
    } else if (found) lines.push(["distance", "they meet"]);
    if (found && found.angle !== null) lines.push(["angle", about + told(found.angle, exact ? 3 : 1, "deg")]);
    if (!exact && found) lines.push(["between two computed states", ""]);
    this.result.replaceChildren(...lines.map(([name, value]) => make("p", {}, `${name} `, make("b", {}, value))));
    this.line.visible = Boolean(ends);
    this.label.hidden = !ends;
    if (ends) {
      const shift = this.picks.map(({ part }) => part.offset);
      this.ends = ends.map((end, k) => end.clone().add(shift[k]));
      this.line.geometry.setFromPoints(this.ends);
      this.line.geometry.computeBoundingSphere();
      this.line.material.color.set(this.world.dark ? "#ff8fb8" : "#b3005c");
      this.label.textContent = about + told(found.distance, Math.min(digits, 2), "mm");
    }
    this.world.stage.redraw();
  }

  #place() {
    for (const { feature, button: dot } of this.dots) {
      const at = this.world.stage.seen(this.shownOf.drawn(feature.at));
      dot.hidden = !at || !this.active;
      if (at) dot.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    }
    if (this.label.hidden) return;
    const at = this.world.stage.seen(this.ends[0].clone().lerp(this.ends[1], 0.5));
    if (at) this.label.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
  }
}
