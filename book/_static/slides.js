// Slides: whatever stands on one is made to fit it, once its letters are there.

const LEAST = 50; // percent of the usual letter size
const deck = Reveal;

function fit(slide) {
  slide.style.fontSize = "";
  const room = deck.getConfig();
  for (let size = 100; size >= LEAST; size -= 5) {
    slide.style.fontSize = `${size}%`;
    if (slide.scrollHeight <= room.height && slide.scrollWidth <= room.width) return;
  }
}

const fitAll = () => document.querySelectorAll(".slides > section > section").forEach(fit);

deck.initialize({
  width: 1280,
  height: 720,
  margin: 0.05,
  center: false,
  hash: true,
  transition: "none",
  slideNumber: "c/t",
  plugins: [RevealNotes],
});
deck.on("slidechanged", (event) => fit(event.currentSlide));
deck.on("pdf-ready", fitAll);
window.addEventListener("load", async () => {
  await document.fonts.ready;
  fit(deck.getCurrentSlide());
  document.body.dataset.ready = "true";
});
