// An element with attributes and text, at the end of its parent where it has one: what the pages' scripts build with.

const DRAWN = new Set(["svg", "path", "circle", "text", "line", "g"]);

export function element(tag, attributes, parent, text = "") {
  const made = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent?.append(made);
  return made;
}
