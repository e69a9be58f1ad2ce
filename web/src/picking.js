/* What is under the mouse or the finger. */
import { Raycaster, Vector2 } from "three";

const PATIENCE = 150; // ms: where it takes longer to find what the mouse is on, only clicks pick
const STILL = 5; // px that a press may move to be a click

export class Picking {
  /** `act(part, place)` is called for a click: the part and the place on it in the scene, or nothing. */
  constructor(world, canvas, act) {
    Object.assign(this, { world, canvas, ray: new Raycaster(), asked: null });
    let down = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary && event.button === 0 ? [event.clientX, event.clientY] : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      const moved = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]);
      if (down && moved < STILL && event.isPrimary) act(this.at(event));
      down = null;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || event.buttons) return;
      if (!this.asked) requestAnimationFrame(() => this.#point());
      this.asked = event;
    });
    canvas.addEventListener("pointerleave", () => {
      this.asked = null;
      if (world.hovered?.mesh) world.hover(null);
    });
  }

  #point() {
    const event = this.asked;
    this.asked = null;
    if (!event || this.slow) return;
    const begin = performance.now();
    this.world.hover(this.at(event)?.part ?? null);
    this.slow = performance.now() - begin > PATIENCE;
  }

  /** The nearest part there, and where; null without one. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.ray.setFromCamera(new Vector2(x, y), this.world.stage.camera);
    const seen = this.world.parts.filter((part) => part.seen).map((part) => part.mesh);
    const hit = this.ray.intersectObjects(seen, false).find(({ point }) => !this.world.cut?.hides(point));
    return hit ? { part: hit.object.userData.part, point: hit.point } : null;
  }
}
