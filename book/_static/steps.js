// A sequence of steps, shown one at a time; without this script they are below each other.

import { element } from "./element.js";

function start(sequence) {
  const steps = [...sequence.querySelectorAll(":scope > .step")];
  const controls = element("div", { class: "steps-controls" });
  const button = (words) => element("button", { type: "button", class: "btn btn-sm btn-outline-primary" }, controls, words);
  const back = button("Back");
  const next = button("Next step");
  const said = element("output", { class: "steps-place", "aria-live": "polite" }, controls);
  let now = 0;

  const show = (wanted) => {
    now = Math.min(Math.max(wanted, 0), steps.length - 1);
    steps.forEach((step, k) => step.classList.toggle("step-now", k === now));
    // A disabled button would lose the focus.
    back.setAttribute("aria-disabled", now === 0);
    next.setAttribute("aria-disabled", now === steps.length - 1);
    said.replaceChildren(`${now + 1} of ${steps.length}`);
    // Only for screen readers; the text is visible below.
    element("span", { class: "visually-hidden" }, said, `: ${steps[now].querySelector("p").textContent}`);
  };
  const follow = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const found = steps.findIndex((step) => step.contains(named));
    if (found < 0) return;
    show(found);
    named.scrollIntoView();
  };

  for (const [end, by] of [[back, -1], [next, 1]]) end.addEventListener("click", () => show(now + by));
  controls.addEventListener("keydown", ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by) show(now + by);
  });
  window.addEventListener("hashchange", follow);
  sequence.setAttribute("role", "group");
  sequence.setAttribute("aria-label", `Step by step, ${steps.length} pictures`);
  sequence.classList.add("steps-live");
  sequence.prepend(controls);
  show(0);
  follow();
}

for (const sequence of document.querySelectorAll(".steps")) start(sequence);
