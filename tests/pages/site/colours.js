// Which colours of letters stand on which ground, each pair once; evaluated in the page by test_pages.py. The first
// box of each kind that has a pair is marked `data-pair`, for axe to look at.
() => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const kept = (make) => {
    const known = new Map();
    return (key) => known.get(key) ?? known.set(key, make(key)).get(key);
  };
  const style = kept((box) => getComputedStyle(box));
  // Red, green, blue of 0 to 255 and opacity of 0 to 1, however the colour is written.
  const parts = kept((colour) => {
    const plain = colour.match(/^rgba?\(([^)]*)\)$/);
    if (plain) return [...plain[1].split(",").map(Number), 1].slice(0, 4);
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, opacity / 255];
  });
  // Whole numbers, as on a screen.
  const mixed = (share, above, below) => above.map((part, k) => Math.round(share * part + (1 - share) * below[k]));
  const over = (colour, below, opacity = 1) => {
    const [red, green, blue, own] = parts(colour);
    return mixed(own * opacity, [red, green, blue], below);
  };
  const area = (style) => (parseFloat(style.width) || 0) * (parseFloat(style.height) || 0);
  // What lies behind the letters of a box, as if nothing around it were translucent as a whole.
  const ground = kept((box) => {
    const below = box.parentElement ? ground(box.parentElement) : [255, 255, 255];
    let found = over(style(box).backgroundColor, below);
    if (box.closest("mjx-container > *")) return found; // its letters are drawn before empty boxes
    for (const part of ["::before", "::after"]) { // the theme tints titles by a sheet over them
      const sheet = getComputedStyle(box, part);
      if (sheet.content === "none" || sheet.position !== "absolute" || area(sheet) < area(style(box)) / 4) continue;
      found = over(sheet.backgroundColor, found, Number(sheet.opacity));
    }
    return found;
  });
  // A colour on a box after all translucent boxes around it.
  const shown = (colour, start) => {
    let found = colour;
    for (let box = start; box.parentElement; box = box.parentElement) {
      const opacity = Number(style(box).opacity);
      if (opacity < 1) found = mixed(opacity, found, ground(box.parentElement));
    }
    return found;
  };
  const seen = kept((box) => box.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const silent = "mjx-mml, .visually-hidden, script, style, option, title, svg, :disabled, [aria-disabled=true]";
  const name = (box) => `${box.tagName.toLowerCase()}.${box.className} in #${box.closest("[id]")?.id}`;

  const [pairs, kinds] = [new Map(), new Set()];
  const look = (box, text) => {
    if (!seen(box) || box.closest(silent)) return;
    const { color, fontSize, fontWeight } = style(box);
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    const pair = [shown(over(color, ground(box)), box), shown(ground(box), box), large];
    const key = JSON.stringify(pair);
    const kind = `${key} ${box.tagName} ${box.className} ${box.parentElement.tagName} ${box.parentElement.className}`;
    if (!kinds.has(kind)) box.dataset.pair = "";
    kinds.add(kind);
    if (!pairs.has(key)) pairs.set(key, [...pair, `${text.trim().slice(0, 40)}: ${name(box)}`]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (walker.currentNode.data.trim()) look(walker.currentNode.parentElement, walker.currentNode.data);
  for (const field of document.querySelectorAll("input:not([type=radio], [type=checkbox], [type=range]), textarea, select")) {
    look(field, field.placeholder ?? "field");
  }
  for (const letter of document.querySelectorAll("m-c")) look(letter, letter.closest("mjx-container").textContent);

  // Links that among other words only their colour tells.
  const links = [];
  for (const link of document.querySelectorAll("p a[href], li a[href], td a[href], dd a[href], figcaption a[href]")) {
    if (!link.textContent.trim() || style(link).display !== "inline" || !seen(link) || link.closest("nav")) continue;
    const around = link.parentElement.closest("p, li, td, dd, figcaption");
    const others = [...around.childNodes].filter((node) => !node.contains(link) && !node.matches?.("a, button, ul, ol"));
    if (!others.some((node) => /\p{L}{2}/u.test(node.textContent))) continue;
    const [own, other] = [style(link), style(around)];
    if (own.textDecorationLine !== "none" || own.borderBottomStyle !== "none") continue;
    if (own.fontWeight !== other.fontWeight || own.fontStyle !== other.fontStyle) continue;
    if (own.color === other.color) continue; // no link to the eye
    links.push([over(own.color, ground(link)), over(other.color, ground(around)), `${link.textContent.trim().slice(0, 40)}: ${name(link)}`]);
  }

  // Formulas of another colour than the words around them.
  const painted = [];
  for (const formula of document.querySelectorAll("mjx-container")) {
    const around = style(formula.parentElement).color;
    const other = [formula, ...formula.querySelectorAll("m-c, mjx-line, mjx-surd")].find((part) => style(part).color !== around);
    if (other) painted.push(`${formula.textContent.slice(0, 60)}: ${style(other).color} among ${around}`);
  }
  return { pairs: [...pairs.values()], links, painted };
}
