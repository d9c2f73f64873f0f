// What the eye sees of each slide: sizes in px of the screen, `full` and `out` of words, formulas and
// pictures alone, not of the boxes that they stand in nor of the line above them.
() => {
  const stage = document.querySelector(".slides").getBoundingClientRect();
  const scale = stage.width / 1280;

  const words = function* (top) {
    const walk = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const leaf = walk.currentNode;
      if (leaf.data.trim() && !leaf.parentElement.closest("mjx-container, aside")) yield leaf;
    }
  };

  const drawn = (image) => {
    const box = image.getBoundingClientRect();
    const fit = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
    const [width, height] = [image.naturalWidth * fit, image.naturalHeight * fit];
    return new DOMRect(box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height);
  };

  const boxes = (shown) => {
    const found = [...words(shown)].flatMap((leaf) => {
      const range = document.createRange();
      range.selectNodeContents(leaf);
      return [...range.getClientRects()];
    });
    found.push(...[...shown.querySelectorAll("mjx-math")].map((math) => math.getBoundingClientRect()));
    found.push(...[...shown.querySelectorAll("img")].map(drawn));
    return found.filter((box) => box.width && box.height);
  };

  const letters = (slide, kind) => {
    const all = [...words(slide)].map((leaf) => leaf.parentElement);
    all.push(...slide.querySelectorAll(".shown mjx-container"));
    const sizes = all
      .filter((each) => Boolean(each.closest("pre, code")) === (kind === "code"))
      .map((each) => parseFloat(getComputedStyle(each).fontSize) * scale);
    return Math.min(1e3, ...sizes);
  };

  return [...document.querySelectorAll(".slides > section > section")].map((slide) => {
    const { h, v } = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    const shown = slide.querySelector(".shown");
    const count = (what) => shown.querySelectorAll(what).length;
    const found = boxes(shown);
    const least = (side) => Math.min(...found.map((box) => box[side]));
    const most = (side) => Math.max(...found.map((box) => box[side]));
    const [left, top, right, bottom] = [least("left"), least("top"), most("right"), most("bottom")];
    return {
      at: `${h}/${v} ${shown.innerText.slice(0, 40)}`,
      stage: [stage.width, stage.height],
      full: ((right - left) * (bottom - top)) / (stage.width * stage.height),
      out: Math.max(stage.left - left, right - stage.right, stage.top - top, bottom - stage.bottom),
      text: letters(slide, "text"),
      code: letters(slide, "code"),
      things: [count("img"), count("table"), count("div.math:not(.whole *)"), count(".highlight")],
      lines: Math.max(0, ...[...shown.querySelectorAll("pre")].map((pre) => pre.innerText.trim().split("\n").length)),
      lone: count(".printed") && shown.childElementCount < 3 && !/\n/.test(shown.querySelector(".printed").innerText.trim()),
      claims: count("table.claims tbody tr"),
    };
  });
}
