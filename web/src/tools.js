/* The tools over the picture: each has a button, a key, and a card where it has something to set. */
import { button, make } from "./dom.js";

export class Tools {
  constructor() {
    this.cards = make("div", { className: "cards" });
    this.bar = make("div", { className: "tools", role: "toolbar", ariaLabel: "tools" });
    this.all = new Map();
  }

  /** `act(on)` is called when it is switched. */
  add(key, words, explained, act, card = null) {
    const tool = { on: false, act, card };
    tool.button = button(words, () => this.switch(key), { title: `${explained} (key ${key.toUpperCase()})`, ariaPressed: "false" });
    this.all.set(key, tool);
    this.bar.append(tool.button);
    if (card) {
      card.hidden = true;
      this.cards.append(card);
    }
  }

  /** Switch a tool by its key; whether there is one. */
  switch(key, on = !this.all.get(key)?.on) {
    const tool = this.all.get(key);
    if (!tool) return false;
    tool.on = on;
    tool.button.ariaPressed = String(on);
    if (tool.card) tool.card.hidden = !on;
    tool.act(on);
    return true;
  }

  /** Switch off what has a card; whether anything was on. */
  rest() {
    const on = [...this.all.keys()].filter((key) => this.all.get(key).on && this.all.get(key).card);
    on.forEach((key) => this.switch(key, false));
    return on.length > 0;
  }
}
