/* What all share: the data, what is shown, what is pointed at; and who wants to know of a change. */
export class World {
  constructor(data) {
    Object.assign(this, { data, parts: [], runs: [], active: null, hovered: null, dark: false });
    this.listeners = new Map();
  }

  on(event, listener) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  tell(event) {
    for (const listener of this.listeners.get(event) ?? []) listener();
  }

  hover(thing) {
    if (this.hovered === thing) return;
    this.hovered = thing;
    this.tell("hovered");
  }

  /** How much a part is lit up, from 0 to 1. */
  glow(part) {
    return this.hovered === part ? 1 : 0;
  }
}
