// Makes an element with attributes and text, appended to its parent if given; the pages' scripts all use it.

const DRAWN = new Set(["svg", "path", "circle", "text", "line", "g"]);

export function element(tag, attributes, parent, text = "") {
  const made = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent?.append(made);
  return made;
}
