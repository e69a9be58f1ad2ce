/* The section plane: what lies beyond it is cut away, and the cut is closed and outlined. */
import {
  AlwaysStencilFunc, BackSide, CanvasTexture, DecrementWrapStencilOp, FrontSide, Group, IncrementWrapStencilOp, Mesh,
  MeshBasicMaterial, NotEqualStencilFunc, Plane, PlaneGeometry, RepeatWrapping, ReplaceStencilOp, Vector3,
} from "three";
import { button, make, told } from "./dom.js";
import { Outline } from "./outline.js";

const AXES = ["x", "y", "z"];

/** The hatch of a cut, in the colour that is laid over it. */
function hatch(repeats) {
  const canvas = make("canvas", { width: 32, height: 32 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, 32, 32);
  pen.strokeStyle = "#8c8c8c";
  pen.lineWidth = 4;
  for (const shift of [-32, 0, 32]) {
    pen.moveTo(shift, 32);
    pen.lineTo(shift + 32, 0);
  }
  pen.stroke();
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.repeat.set(repeats, repeats);
  return texture;
}

/** Faces of a part that only count how often the sight enters and leaves it behind the plane. */
function counting(part, plane, side, op, order) {
  const silent = { depthWrite: false, depthTest: false, colorWrite: false, stencilWrite: true, stencilFunc: AlwaysStencilFunc };
  const material = new MeshBasicMaterial({
    ...silent, side, clippingPlanes: [plane], stencilFail: op, stencilZFail: op, stencilZPass: op,
  });
  const mesh = new Mesh(part.geometry.faces, material);
  mesh.renderOrder = order;
  return mesh;
}

export class Section {
  constructor(world) {
    Object.assign(this, { world, on: false, axis: 0, way: -1, plane: new Plane(), caps: null });
    this.buttons = AXES.map((name, k) => button(name, () => this.#turn(k), { className: "small", ariaLabel: `across ${name}` }));
    this.slider = make("input", { type: "range", min: -1, max: 1, step: "any", value: 0, ariaLabel: "place of the cut", oninput: () => this.update() });
    this.output = make("output");
    const flip = button("Flip", () => {
      this.way = -this.way;
      this.update();
    }, { className: "small", title: "the other side" });
    this.card = make("div", { className: "card section" }, make("span", {}, "Cut"), ...this.buttons, flip, this.output, this.slider);
    for (const event of ["moved", "shown"]) world.on(event, () => this.on && this.update());
    world.stage.renderer.localClippingEnabled = true;
    // first across what one looks along
    const look = world.data.from.map(Math.abs);
    this.axis = look.indexOf(Math.max(...look));
  }

  /** Cut away what lies before the plane, so that the cut is seen. */
  #face() {
    const { camera, controls } = this.world.stage;
    this.way = camera.position.getComponent(this.axis) > controls.target.getComponent(this.axis) ? -1 : 1;
  }

  toggle(on) {
    this.on = on;
    if (on && !this.caps) {
      this.caps = this.#caps();
      this.#face();
    }
    for (const part of this.world.parts)
      for (const material of [part.material, part.lines]) {
        material.clippingPlanes = on ? [this.plane] : null;
        material.needsUpdate = true;
      }
    this.update();
  }

  #turn(axis) {
    this.axis = axis;
    this.#face();
    this.slider.value = 0;
    this.update();
  }

  /** Whether a place is cut away. */
  hides(place) {
    return this.on && this.plane.distanceToPoint(place) < 0;
  }

  #caps() {
    const { world, plane } = this;
    const size = 8 * world.data.reach;
    const texture = hatch(size / (0.036 * world.data.reach));
    return world.parts.map((part, k) => {
      const count = new Group();
      count.add(counting(part, plane, BackSide, IncrementWrapStencilOp, 3 * k + 1), counting(part, plane, FrontSide, DecrementWrapStencilOp, 3 * k + 1));
      part.group.add(count);
      const stencil = { stencilWrite: true, stencilRef: 0, stencilFunc: NotEqualStencilFunc };
      const replace = { stencilFail: ReplaceStencilOp, stencilZFail: ReplaceStencilOp, stencilZPass: ReplaceStencilOp };
      const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 }; // so that the outline is seen
      const cap = new Mesh(new PlaneGeometry(size, size), new MeshBasicMaterial({ map: texture, side: 2, ...stencil, ...replace, ...back }));
      cap.renderOrder = 3 * k + 2;
      cap.onAfterRender = (renderer) => renderer.clearStencil();
      world.stage.scene.add(cap);
      const outline = new Outline(part);
      outline.renderOrder = 3 * world.parts.length + 1; // over all cuts
      return { part, count, cap, outline };
    });
  }

  update() {
    const { world } = this;
    const [low, high] = world.stage.box.map((corner) => corner.getComponent(this.axis));
    const at = low + ((1 + Number(this.slider.value)) / 2) * (high - low);
    const normal = new Vector3().setComponent(this.axis, this.way);
    this.plane.set(normal, -this.way * at);
    this.output.textContent = told(at + world.data.middle[this.axis], 1, "mm");
    this.buttons.forEach((one, k) => (one.ariaPressed = String(k === this.axis)));
    for (const { part, count, cap, outline } of this.caps ?? []) {
      const box = part.geometry.faces.boundingBox.clone().applyMatrix4(part.group.matrix);
      const cut = this.on && part.seen && this.plane.intersectsBox(box);
      count.visible = cap.visible = outline.visible = cut;
      if (!cut) continue;
      this.plane.coplanarPoint(cap.position);
      cap.lookAt(cap.position.clone().sub(normal));
      cap.material.color.copy(part.material.color);
      outline.update(this.plane);
    }
    world.stage.redraw();
  }
}
