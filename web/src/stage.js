/* The picture: renderer, camera, light, floor, and how it is turned by hand. */
import {
  Box3, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, HemisphereLight, LineBasicMaterial, LineSegments,
  PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { draw } from "./dom.js";

const HALF = 0.26; // rad, half of the field of view across the shorter side
const BUTTONS = 48; // px at the top and at the foot of the picture
const AXES = ["x", "y", "z"];

/** The directions to the right and away when one looks along the floor, for an upward one. */
function base(up) {
  const near = Math.abs(up.z) > 0.9 || Math.abs(up.y) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const east = near.addScaledVector(up, -near.dot(up)).normalize();
  return [east, up.clone().cross(east)];
}

export class Stage {
  /** Draws when asked to; throws where the browser has no WebGL. */
  constructor(world, canvas, triad) {
    Object.assign(this, { world, canvas, data: world.data, asked: false, moved: false });
    this.renderer = new WebGLRenderer({ canvas, antialias: true, stencil: true });
    this.up = new Vector3(...this.data.up).normalize();
    [this.east, this.north] = base(this.up);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera();
    this.camera.up.copy(this.up);
    this.scene.add(this.camera);
    this.#light();
    this.#floor();
    this.#hand();
    this.#axes(triad);
    this.whole = this.data.box.map((corner) => new Vector3(...corner)); // the room of the whole motion
    this.box = this.whole; // what is looked at: more in an exploded view
    const north = this.north.clone().negate();
    this.looks = {
      home: new Vector3(...this.data.from), front: north, right: this.east,
      top: this.up.clone().addScaledVector(this.north, -1e-3),
    };
    const sized = new ResizeObserver(() => {
      if (!this.moved) this.fit();
      this.redraw();
    });
    sized.observe(canvas);
    world.ending.push(() => {
      sized.disconnect();
      this.controls.dispose();
      this.renderer.dispose();
      this.renderer.forceContextLoss(); // a browser has a few of them only
    });
    world.on("theme", () => this.#colours());
    this.#colours();
  }

  #light() {
    this.sky = new HemisphereLight(0xffffff, 0x8d9aa6, 1.5);
    this.sky.position.copy(this.up);
    const key = new DirectionalLight(0xffffff, 1.9);
    key.position.set(0.5, 0.75, 0.9); // it goes with the camera, a little from above and from the right
    const fill = new DirectionalLight(0xffffff, 0.5);
    fill.position.set(-0.8, 0, 0.6);
    this.camera.add(key, key.target, fill, fill.target);
    this.scene.add(this.sky);
  }

  #floor() {
    const { reach, low } = this.data;
    const step = 10 ** Math.round(Math.log10(reach / 4));
    const count = Math.min(14, Math.ceil((1.2 * reach) / step));
    const corners = [];
    for (let k = -count; k <= count; k++)
      for (const [a, b] of [[this.east, this.north], [this.north, this.east]])
        for (const end of [-count, count]) {
          const at = this.up.clone().multiplyScalar(low).addScaledVector(a, k * step).addScaledVector(b, end * step);
          corners.push(at.x, at.y, at.z);
        }
    const lines = new BufferGeometry();
    lines.setAttribute("position", new Float32BufferAttribute(corners, 3));
    this.floor = new LineSegments(lines, new LineBasicMaterial());
    this.scene.add(this.floor);
  }

  #colours() {
    const { dark } = this.world;
    this.scene.background = new Color(dark ? "#13171c" : "#edf1f5");
    this.floor.material.color.set(dark ? "#262e36" : "#d6dde3");
    this.redraw();
  }

  // -------------------------------------------------------------------- mouse, touch and keys
  #hand() {
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.minDistance = 0.05 * this.data.reach;
    this.controls.maxDistance = 12 * this.data.reach;
    this.controls.zoomToCursor = true;
    this.controls.cursorStyle = "grab";
    this.controls.addEventListener("change", () => this.redraw());
    this.controls.addEventListener("start", () => (this.moved = true));
    this.canvas.addEventListener("dblclick", () => this.look("home"));
  }

  /** Turn, move or zoom by a key; whether it was one of these. */
  key(event) {
    const c = this.controls;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step && event.shiftKey) c.pan(12 * step[0], 12 * step[1]);
    else if (step) {
      c.rotateLeft(0.1 * step[0]);
      c.rotateUp(0.1 * step[1]);
    } else if (event.key === "+" || event.key === "=") c.dollyIn(1.1);
    else if (event.key === "-") c.dollyOut(1.1);
    else if (event.key === "0") this.look("home");
    else return false;
    this.moved = event.key !== "0";
    this.redraw();
    return true;
  }

  /** Look at these boxes; at the room of the whole motion without any. */
  frameOn(boxes = []) {
    const room = boxes.reduce((all, box) => all.union(box), new Box3());
    this.box = boxes.length ? [room.min, room.max] : this.whole;
    if (!this.moved) this.fit();
  }

  look(name) {
    this.camera.position.copy(this.looks[name]);
    this.controls.target.set(0, 0, 0);
    this.fit();
    this.redraw();
  }

  /** Put the camera so far away, and opposite to such a place, that the whole motion just fits between the buttons. */
  fit() {
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    const right = this.up.clone().cross(away).normalize();
    const above = away.clone().cross(right);
    const [w, h] = [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
    const tangent = Math.tan(HALF) / Math.min(w, h);
    const sides = [[right, w], [above, Math.max(h - 2 * BUTTONS, 0.5 * h)]];
    const target = new Vector3();
    let distance = 0;
    for (let round = 0; round < 4; round++) {
      const corners = this.#corners().map((corner) => corner.sub(target));
      const far = ([side, size]) => (corner) => corner.dot(away) + Math.abs(corner.dot(side)) / size / tangent;
      distance = Math.max(0.1 * this.data.reach, ...sides.flatMap((side) => corners.map(far(side))));
      for (const [side] of sides) {
        const seen = corners.map((corner) => corner.dot(side) / (distance - corner.dot(away)));
        target.addScaledVector(side, 0.5 * distance * (Math.min(...seen) + Math.max(...seen)));
      }
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, 1.06 * distance);
    this.controls.update();
    this.moved = false;
  }

  /** The corners of the room that is looked at. */
  #corners() {
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(...[0, 1, 2].map((r) => this.box[(k >> r) & 1].getComponent(r))));
  }

  // ----------------------------------------------------------------------------------- drawing
  redraw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.asked = false;
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!w || !h) return;
    const size = [w, h, Math.min(window.devicePixelRatio || 1, 2)];
    if (String(size) !== String(this.size)) {
      this.size = size; // only then: a canvas is emptied by it
      this.renderer.setPixelRatio(size[2]);
      this.renderer.setSize(w, h, false);
    }
    const { camera } = this;
    const apart = camera.position.length(); // from the middle of the scene
    const reach = Math.max(this.data.reach, ...this.#corners().map((corner) => corner.length()));
    camera.near = Math.max(apart - 1.6 * reach, 0.02 * reach);
    camera.far = apart + 2.2 * reach;
    camera.aspect = w / h;
    camera.fov = (360 / Math.PI) * Math.atan(Math.tan(HALF) / Math.min(w / h, 1));
    camera.updateProjectionMatrix();
    this.renderer.render(this.scene, camera);
    this.#turnAxes();
    this.world.tell("drawn");
  }

  /** Where a place of the scene is seen, px in the canvas; null behind the camera. */
  seen(place) {
    const at = place.clone().project(this.camera);
    if (at.z > 1) return null;
    return [0.5 * (1 + at.x) * this.canvas.clientWidth, 0.5 * (1 - at.y) * this.canvas.clientHeight];
  }

  #axes(triad) {
    this.axes = AXES.map((name) => {
      const line = draw("line", { class: `axis ${name}` });
      const word = draw("text", { class: name });
      word.textContent = name;
      triad.append(line, word);
      return [line, word];
    });
  }

  /** The three axes in the corner: how the world is turned. */
  #turnAxes() {
    const turn = this.camera.matrixWorldInverse;
    this.axes.forEach(([line, word], k) => {
      const d = new Vector3().setComponent(k, 1).transformDirection(turn);
      line.setAttribute("x2", (26 * d.x).toFixed(1));
      line.setAttribute("y2", (-26 * d.y).toFixed(1));
      word.setAttribute("x", (34.3 * d.x).toFixed(1));
      word.setAttribute("y", (4 - 34.3 * d.y).toFixed(1));
    });
  }
}
