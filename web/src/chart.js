/* Curves of the motion: a joint coordinate, or what is measured, over the slider that was moved last. */
import { draw, make, told } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [320, 178, 46, 10, 18, 32];
const TURNS = [15, 30, 45, 60, 90, 180, 360]; // degrees

/** Round numbers within a range, about `count` of them, and their digits. */
function ticks(low, high, count, unit) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (unit === "deg" && rough > 10 && TURNS.find((s) => s >= rough)) || [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return [out, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
}

export class Chart {
  constructor(world, measuring) {
    Object.assign(this, { world, measuring, drawn: "" });
    this.select = make("select", { ariaLabel: "curve", onchange: () => this.update() });
    this.svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
    this.section = make("section", { className: "curves" }, make("h2", {}, "Curves"), this.select, this.svg);
    const follow = (event) => event.buttons && this.#go(event);
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    this.svg.addEventListener("pointermove", follow);
    for (const event of ["moved", "selected"]) world.on(event, () => this.update());
    world.on("measured", () => this.#measured());
    this.update();
  }

  /** The curves of the active run by key, with name and unit. */
  #choices() {
    const { active, mates, modeShown } = this.world;
    if (!active || modeShown) return [];
    const joints = active.curves.map((curve, k) => {
      const mate = mates[curve.mate];
      const { unit } = mate.coordinates.find(({ name }) => name === curve.name);
      return { key: `${curve.mate} ${curve.name}`, words: `${mate.name}, ${curve.name}`, unit, of: (state) => active.curves[k].values[state] };
    });
    const found = this.measuring.now();
    const live = ["distance", "angle"].filter((what) => found && found[what] !== null).map((what) => ({
      key: what, words: `measured ${what}`, unit: what === "angle" ? "deg" : "mm", of: (state) => this.measuring.in(active, state, what),
    }));
    const near = active.near.map(({ parts, values }) => ({
      key: `near ${parts.join(":")}`, words: `${parts.join(" – ")}, distance`, unit: "mm", of: (state) => values[state],
    }));
    return [...live, ...joints, ...near, ...this.#origin()];
  }

  /** The coordinates of the origin of the part that is picked. */
  #origin() {
    const { active, data, selected } = this.world;
    if (!selected?.mesh) return [];
    return ["x", "y", "z"].map((name, k) => ({
      key: `origin ${name}`, words: `${selected.name}, ${name} of its origin`, unit: "mm",
      of: (state) => active.pose(state, selected.number)[k] + data.middle[k],
    }));
  }

  /** What has been picked to be measured is shown. */
  #measured() {
    this.drawn = "";
    const found = this.measuring.now();
    this.update(found ? (found.distance !== null ? "distance" : "angle") : "");
  }

  update(wanted = this.select.value) {
    const choices = this.#choices();
    const names = choices.map(({ key, words }) => `${key}:${words}`).join("|");
    if (this.names !== names) {
      this.names = names;
      this.select.replaceChildren(...choices.map(({ key, words }) => make("option", { value: key }, words)));
    }
    this.section.hidden = !choices.length;
    if (!choices.length) return;
    const swept = choices.find(({ key }) => key === wanted) ?? this.#interesting(choices);
    this.select.value = swept.key;
    this.#show(swept);
  }

  /** The first coordinate that does not just go as the slider does, from another zero or backwards. */
  #interesting(choices) {
    const { active } = this.world;
    const { values } = active.axes[active.last];
    const states = active.line();
    const own = ({ of }) => [-1, 1].some((way) => {
      const off = states.map((state, k) => of(state) - way * values[k]).filter(Number.isFinite);
      return Math.max(...off) - Math.min(...off) < 2e-3;
    });
    return choices.find((choice) => !choice.key.startsWith("near") && !own(choice)) ?? choices[0];
  }

  /** The curve is drawn anew only where it is another one; the spot moves. */
  #show(swept) {
    const { active } = this.world;
    const a = active.last;
    const others = active.at.map((at, k) => (k === a ? "" : Math.round(at)));
    const drawn = [swept.words, active.axes[a].name, ...others].join("|");
    if (this.drawn !== drawn) {
      this.drawn = drawn;
      this.y = active.line().map((state) => swept.of(state));
      this.#draw(swept);
    }
    this.#spot();
  }

  #draw({ words, unit }) {
    const axis = this.world.active.axes[this.world.active.last];
    const x = axis.values;
    const known = this.y.filter(Number.isFinite);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    const least = unit === "deg" ? 1e-3 : 2e-5 * this.world.data.reach; // below is rounding: single precision
    if (!(high - low > least)) [low, high] = [low - 1, high + 1];
    const across = [Math.min(...x), Math.max(...x)];
    this.px = (v) => LEFT + ((v - across[0]) / (across[1] - across[0] || 1)) * (WIDTH - LEFT - RIGHT);
    this.py = (v) => HEIGHT - BOTTOM - ((v - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    const pieces = [];
    const [ys, digitsY] = ticks(low, high, 4, unit);
    for (const v of ys) {
      const y = this.py(v).toFixed(1);
      pieces.push(draw("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      pieces.push(draw("text", { x: LEFT - 5, y: +y + 4, class: "end" }, told(v, digitsY)));
    }
    const [xs, digitsX] = ticks(...across, 4, axis.unit);
    for (const v of xs) {
      const at = Math.min(this.px(v), WIDTH - 14); // the last one stays inside
      pieces.push(draw("text", { x: at.toFixed(1), y: HEIGHT - BOTTOM + 14, class: "middle" }, told(v, digitsX)));
    }
    for (const mark of axis.marks) {
      const at = this.px(this.world.active.value(this.world.active.last, mark.at)).toFixed(1);
      pieces.push(draw("line", { class: "event", x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }));
    }
    let pen = "";
    let down = false;
    this.y.forEach((v, k) => {
      if (Number.isFinite(v)) pen += `${down ? "L" : "M"}${this.px(x[k]).toFixed(1)} ${this.py(v).toFixed(1)}`;
      down = Number.isFinite(v);
    });
    pieces.push(draw("path", { class: "curve", d: pen }));
    pieces.push(draw("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, class: "end" }, `${axis.name}${axis.unit ? `, ${axis.unit}` : ""}`));
    pieces.push(draw("text", { x: 0, y: 9 }, unit));
    this.spot = draw("circle", { class: "spot", r: 4.5 });
    this.svg.replaceChildren(...pieces, this.spot);
    const digits = digitsY + 2;
    this.svg.setAttribute("aria-label", `${words} over ${axis.name}: ${told(Math.min(...known), digits)} to ${told(Math.max(...known), digits, unit)}`);
  }

  #spot() {
    const { active } = this.world;
    const at = active.at[active.last];
    const k = Math.min(Math.floor(at), this.y.length - 1);
    const next = Math.min(k + 1, this.y.length - 1);
    const v = this.y[k] + (at - k) * ((at > k ? this.y[next] : this.y[k]) - this.y[k]);
    this.spot.style.display = Number.isFinite(v) ? "" : "none";
    this.spot.setAttribute("cx", this.px(active.value(active.last)).toFixed(1));
    this.spot.setAttribute("cy", Number.isFinite(v) ? this.py(v).toFixed(1) : 0);
  }

  /** Go where the curve is pressed. */
  #go(event) {
    const { active, player } = this.world;
    const { values } = active.axes[active.last];
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const [first, end] = [this.px(values[0]), this.px(values[values.length - 1])];
    const share = Math.max(0, Math.min(1, (x - first) / (end - first)));
    player.rest();
    const at = active.placeOf(active.last, values[0] + share * (values[values.length - 1] - values[0]));
    active.at[active.last] = active.stop(active.last, at);
    player.show(active);
  }
}
