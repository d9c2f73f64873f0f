// The theme's menus need Bootstrap, 81 kB that most readers never use: it comes when a reader first touches the
// page. A menu that is clicked before Bootstrap is there opens once it is.
const SIGNS = ["pointerover", "pointerdown", "focusin", "keydown", "wheel"];
let clicked = null;
const remember = ({ target }) => { clicked = target.closest?.("[data-bs-toggle=dropdown]"); };
const load = () => {
  for (const sign of SIGNS) removeEventListener(sign, load, true);
  const script = document.createElement("script");
  script.src = new URL("scripts/bootstrap.js", import.meta.url);
  script.onload = () => {
    removeEventListener("click", remember, true);
    clicked?.click();
  };
  document.head.append(script);
};
for (const sign of SIGNS) addEventListener(sign, load, { capture: true, passive: true });
addEventListener("click", remember, true);
