// The accessible name of a control must hold the words it shows (WCAG 2.5.3); some of the theme's do not.
for (const control of document.querySelectorAll(".search-button-field, .cell summary")) {
  control.removeAttribute("aria-label");
}
for (const icon of document.querySelectorAll(".theme-switch-button i")) {
  icon.removeAttribute("title");
  icon.setAttribute("aria-hidden", "true");
}
// What unfolds a part of the side bar is an arrow without a word.
for (const arrow of document.querySelectorAll(".has-children > details > summary")) {
  arrow.setAttribute("aria-label", `Pages of ${arrow.closest("li").querySelector("a").textContent}`);
}
// What scrolls sideways must be reachable by keyboard, and only that (WCAG 2.1.1).
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
const boxes = "pre, table, div.math, .wide-figure, mjx-container[display], .cell_output > .output";
for (const box of document.querySelectorAll(`article :is(${boxes})`)) watcher.observe(box);
