// The accessible name of a control must hold the words it shows (WCAG 2.5.3); some of the theme's do not.
for (const control of document.querySelectorAll(".search-button-field, .cell summary")) {
  control.removeAttribute("aria-label");
}
for (const icon of document.querySelectorAll(".theme-switch-button i")) {
  icon.removeAttribute("title");
  icon.setAttribute("aria-hidden", "true");
}
