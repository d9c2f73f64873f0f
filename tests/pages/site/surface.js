// What a reader cannot see of a page, or only in letters too small; evaluated in the page by test_pages.py.
async (smallest) => {
  // A bar may come a frame after the letters that need it.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const article = document.querySelector("article");
  const found = { cut: [], hidden: [], small: [], scrolls: 0 };
  const name = (box) => `${box.tagName.toLowerCase()}.${box.className?.baseVal ?? box.className} in #${box.closest("[id]")?.id}`;
  const styles = new Map();
  const style = (box) => styles.get(box) ?? styles.set(box, getComputedStyle(box)).get(box);

  // Boxes that stand in each other's way: what is left of a text's box must lie within all that clip it.
  const cut = (start, { left, right, top, bottom }) => {
    for (let box = start; box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = style(box);
      if (overflowX === "visible" && overflowY === "visible") continue;
      if (style(box).display === "inline") continue;
      const around = box.getBoundingClientRect();
      if (["auto", "scroll"].includes(overflowX)) {
        if (left < around.left - box.scrollLeft - 1) return `${name(box)}: ${Math.round(around.left - left)} px lost left`;
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      } else if (overflowX !== "visible" && (right > around.right + 1 || left < around.left - 1)) {
        return `${name(box)}: ${Math.round(Math.max(right - around.right, around.left - left))} px lost sideways`;
      }
      if (["auto", "scroll"].includes(overflowY)) [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
      else if (overflowY !== "visible" && (bottom > around.bottom + 3 || top < around.top - 3)) {
        return `${name(box)}: ${Math.round(Math.max(bottom - around.bottom, around.top - top))} px lost above or below`;
      }
    }
    return left < -1 || right > innerWidth + 1 ? `beyond the screen by ${Math.round(right - innerWidth)} px` : "";
  };
  const seen = (box) => box.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const silent = "mjx-mml, .visually-hidden, .headerlink, script, style, select, title, .copybtn, .toggle-details";
  const look = (text, box, rects) => {
    for (const rect of rects) {
      const lost = rect.width > 0 && cut(box, rect);
      if (lost) {
        found.cut.push(`${text}: ${lost}`);
        return;
      }
    }
  };
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const box = node.parentElement;
    if (!node.data.trim() || box.closest(silent) || !seen(box)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    look(node.data.trim().slice(0, 40), box, range.getClientRects());
    const size = parseFloat(style(box).fontSize);
    const place = box.closest("pre") ? "code" : box.closest("table") ? "table" : "";
    if (place && size < smallest[place] - 0.01 && !box.closest("svg")) {
      found.small.push(`${place} of ${size} px: ${node.data.trim().slice(0, 30)} in ${name(box)}`);
    }
  }
  // Letters of formulas are no text but drawn before empty boxes.
  for (const letter of article.querySelectorAll("m-c")) {
    if (letter.closest("mjx-ext")) continue; // grows with what it is part of
    if (seen(letter)) look(letter.closest("mjx-container").textContent.slice(0, 60), letter, [letter.getBoundingClientRect()]);
  }
  for (const image of article.querySelectorAll("img, svg.drawing")) {
    if (seen(image)) look(image.getAttribute("src") ?? "drawing", image.parentElement, [image.getBoundingClientRect()]);
  }
  for (const box of article.querySelectorAll("*")) {
    if (box.closest(silent) || !["auto", "scroll"].includes(style(box).overflowX) || !seen(box)) continue;
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    found.scrolls += 1;
    const borders = parseFloat(style(box).borderTopWidth) + parseFloat(style(box).borderBottomWidth);
    if (box.offsetHeight - box.clientHeight - borders < 3) found.hidden.push(`${name(box)}: ${box.textContent.trim().slice(0, 40)}`);
  }
  return found;
}
