/** An element with its attributes (handlers by "on..."), and what it contains. */
export function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  element.append(...inside.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of a drawing with its attributes. */
export function draw(tag, attributes = {}, ...inside) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

export function button(words, act, attributes = {}) {
  return make("button", { type: "button", onclick: act, ...attributes }, words);
}

/** A number with its unit as it is read: a true minus, and no minus before zero. */
export function told(value, digits, unit = "") {
  const number = value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
  return unit ? `${number} ${unit}` : number;
}
