// A control's accessible name must contain its visible words (WCAG 2.5.3); some names in the theme do not.
for (const control of document.querySelectorAll(".search-button-field")) control.removeAttribute("aria-label");
// A folded cell's summary contains both labels and shows one; many cells on a page show the same label.
const cells = [...document.querySelectorAll(".cell")];
const place = (node) => cells.indexOf(node.closest(".cell")) + 1;
for (const folded of document.querySelectorAll(".cell details:has(> summary)")) {
  const summary = folded.querySelector("summary");
  const say = () => {
    const shown = summary.querySelector(folded.open ? ".expanded" : ".collapsed").textContent;
    summary.setAttribute("aria-label", `${shown}, cell ${place(folded)}`);
  };
  folded.addEventListener("toggle", say);
  say();
}
// A dialog needs a name, and has to return the focus to the button that opened it.
const windows = { "pst-search-dialog": "Search", "pst-primary-sidebar-modal": "Pages of the book",
  "pst-secondary-sidebar-modal": "On this page" };
let opener = null;
document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button && !button.closest("dialog")) opener = button;
}, true);
for (const [id, label] of Object.entries(windows)) {
  const dialog = document.getElementById(id);
  dialog?.setAttribute("aria-label", label);
  // The timeout lets the theme first put back the contents of the dialog.
  dialog?.addEventListener("close", () => setTimeout(() => opener?.focus()));
}
for (const icon of document.querySelectorAll(".theme-switch-button i, .onthispage i")) {
  icon.removeAttribute("title");
  icon.setAttribute("aria-hidden", "true");
}
// Buttons that unfold or copy are named after their content; extensions add them once the page is loaded.
const words = (node) => node?.textContent.replace(/#/g, "").replace(/\s+/g, " ").trim() ?? "";
const name = () => {
  for (const button of document.querySelectorAll(".toggle-button")) {
    const title = words(button.closest(".admonition-title"));
    // The name contains the button's visible words, which change with its state (WCAG 2.5.3).
    const say = () => button.setAttribute("aria-label", `${button.dataset.toggleHint}: ${title}`);
    new MutationObserver(say).observe(button, { attributeFilter: ["data-toggle-hint"] });
    button.querySelector("svg").setAttribute("aria-hidden", "true");
    say();
  }
  let blocks = 0;
  for (const button of document.querySelectorAll(".copybtn")) {
    const cell = button.closest(".cell_input") && place(button);
    button.setAttribute("aria-label", cell ? `Copy code of cell ${cell}` : `Copy block ${(blocks += 1)} of this page`);
    button.querySelector("svg").setAttribute("aria-hidden", "true");
  }
};
if (document.readyState === "complete") name();
else window.addEventListener("load", name);
// A box fades out on each side to which it can still scroll, since some phones show no scroll bar at rest.
const fade = ({ target }) => {
  const left = target.scrollLeft > 1, right = target.scrollLeft + target.clientWidth < target.scrollWidth - 1;
  if (left || right) target.dataset.more = left && right ? "both" : left ? "left" : "right";
  else delete target.dataset.more;
};
// Only boxes that scroll sideways must be reachable by keyboard (WCAG 2.1.1); a table then needs a name.
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth;
    fade({ target });
    if (scrolls) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
    if (!target.matches(".table-box")) continue;
    const heading = target.closest("section")?.querySelector("h1, h2, h3, h4");
    for (const [key, value] of [["role", "region"], ["aria-label", `Table under “${words(heading)}”, scrolls`]]) {
      if (scrolls) target.setAttribute(key, value);
      else target.removeAttribute(key);
    }
  }
});
const boxes = "pre, .table-box, div.math, mjx-container[display], .cell_output > .output";
for (const box of document.querySelectorAll(`article :is(${boxes})`)) {
  watcher.observe(box);
  box.addEventListener("scroll", fade, { passive: true });
}
