// The theme's menus, without Bootstrap: its 81 kB would do nothing else on these pages.
const buttons = [...document.querySelectorAll("[data-bs-toggle=dropdown]")];
const show = (button, open) => {
  button.setAttribute("aria-expanded", open);
  button.nextElementSibling.classList.toggle("show", open);
};
const leave = (kept) => buttons.filter((button) => !button.parentElement.contains(kept)).forEach((button) => show(button, false));
document.addEventListener("click", ({ target }) => leave(target));
document.addEventListener("focusin", ({ target }) => leave(target));
for (const button of buttons) {
  button.addEventListener("click", () => show(button, button.getAttribute("aria-expanded") === "false"));
  button.parentElement.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || button.getAttribute("aria-expanded") === "false") return;
    show(button, false);
    button.focus();
  });
}
