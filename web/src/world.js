/* What all share: the data, what is shown, pointed at and picked; and who wants to know of a change. */
export class World {
  constructor(data) {
    Object.assign(this, { data, parts: [], mates: [], runs: [], active: null, hovered: null, selected: null });
    this.dark = false;
    this.modeShown = null; // the name of poses that belong to no motion
    this.position = null; // the named position in which the parts stand
    this.listeners = new Map();
    this.ending = []; // what is to be done when the viewer goes
  }

  end() {
    this.ending.forEach((act) => act());
    this.listeners.clear();
  }

  on(event, listener) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  tell(event) {
    for (const listener of this.listeners.get(event) ?? []) listener();
  }

  /** Point at a part or a mate, or at nothing. */
  hover(thing) {
    if (this.hovered === thing) return;
    this.hovered = thing;
    this.tell("hovered");
  }

  /** Pick a part or a mate; what is picked already is let go. */
  select(thing) {
    this.selected = this.selected === thing ? null : thing;
    this.tell("selected");
  }

  /** Whether a part is lit up: by itself, or by its mate. */
  lit(part) {
    return [this.hovered, this.selected].some((thing) => thing === part || thing?.parts?.includes(part));
  }
}
