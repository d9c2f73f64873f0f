// Slides: the contents are scaled to fit and fill each slide, once the fonts are loaded.

const USUAL = 34; // px of a stage of 1280 x 720; code has 0.8 of it
const LEAST = 20;
const MOST = 110;
const FULL = 0.48; // share of the stage that the box around the contents should fill
const WIDE = 1.25; // width over height from which a picture is below its message, not beside it
const deck = Reveal;

// Sets the font size, a smaller one for elements that are too wide; returns whether all fits.
function fitsAt(shown, size) {
  shown.style.fontSize = `${size}px`;
  const wide = [...shown.querySelectorAll("pre, div.math, table, span.math > *, .number")];
  for (const each of wide) each.style.fontSize = "";
  for (const each of wide) {
    const around = each.parentElement.closest("div, p, li, td, th, h1, h2");
    const { paddingLeft, paddingRight } = getComputedStyle(around);
    const room = around.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const width = Math.max(each.offsetWidth, each.scrollWidth);
    if (!room || width <= room) continue;
    const least = LEAST * (each.tagName === "PRE" ? 0.8 : 0.9);
    const usual = parseFloat(getComputedStyle(each).fontSize);
    each.style.fontSize = `${Math.max(least, (0.98 * usual * room) / width)}px`;
  }
  return shown.scrollHeight <= shown.clientHeight && shown.scrollWidth <= shown.clientWidth;
}

function filled(shown) {
  const all = [...shown.querySelectorAll("h1, h2, p, li, pre, div.math, table, img")];
  const most = (far) => Math.max(...all.map(far));
  const width = most((e) => e.offsetLeft + e.offsetWidth) - Math.min(...all.map((e) => e.offsetLeft));
  const height = most((e) => e.offsetTop + e.offsetHeight) - Math.min(...all.map((e) => e.offsetTop));
  return (width * height) / (1280 * 720);
}

// The largest good whole number from `low` to `high`, if `low` and all numbers below a good one are good.
function largest(low, high, good) {
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (good(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Uses the usual font size, a smaller one where not all fits, a larger one where the slide would look empty.
function fit(slide) {
  const shown = slide.querySelector(".shown");
  const image = shown.querySelector(":scope > img");
  shown.classList.toggle("beside", image !== null && image.naturalWidth < WIDE * image.naturalHeight);
  const fits = (size) => fitsAt(shown, size);
  const empty = (size) => fits(size) && filled(shown) < FULL;
  if (!fits(USUAL)) fits(largest(LEAST, USUAL - 1, fits));
  else if (filled(shown) < FULL) {
    const size = largest(USUAL, MOST, empty);
    if (!fits(size + 1)) fits(size);
  }
}

const done = new Set();
function fitOnce(slide) {
  if (!done.has(slide)) fit(slide);
  done.add(slide);
}

// A chapter with written slides has all others in a template; `?all` shows these in their place.
const others = document.querySelector("#all");
const address = new URL(location);
if (others && address.searchParams.has("all")) {
  const [title] = document.querySelectorAll(".slides > section");
  title.parentElement.replaceChildren(title, others.content);
  address.searchParams.delete("all");
} else address.searchParams.set("all", "");
address.hash = "";

deck.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  center: false,
  hash: true,
  pdfMaxPagesPerSlide: 1, // slides are counted in pages before they are scaled
  transition: "none",
  slideNumber: "c/t",
  plugins: [RevealNotes],
});
if (others) {
  const change = () => location.assign(address);
  deck.addKeyBinding({ keyCode: 65, key: "A", description: "All slides, or the written ones" }, change);
}
deck.on("slidechanged", (event) => fitOnce(event.currentSlide));
deck.on("pdf-ready", () => document.querySelectorAll("section:has(> .shown)").forEach(fit));
window.addEventListener("load", async () => {
  await document.fonts.ready;
  fitOnce(deck.getCurrentSlide());
  document.body.dataset.ready = "true";
});
