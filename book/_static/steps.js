// A sequence of steps, shown one at a time; without this script they stand below each other.

function start(sequence) {
  const steps = [...sequence.querySelectorAll(":scope > .step")];
  const controls = document.createElement("div");
  controls.className = "steps-controls";
  const made = (tag, name, text = "") => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    controls.append(element);
    return element;
  };
  const back = made("button", "btn btn-sm btn-outline-primary", "Back");
  const next = made("button", "btn btn-sm btn-outline-primary", "Next step");
  const said = made("output", "steps-place");
  said.setAttribute("aria-live", "polite");
  let now = 0;

  const show = (wanted) => {
    now = Math.min(Math.max(wanted, 0), steps.length - 1);
    steps.forEach((step, k) => step.classList.toggle("step-now", k === now));
    // Not disabled: the focus would be lost.
    back.setAttribute("aria-disabled", now === 0);
    next.setAttribute("aria-disabled", now === steps.length - 1);
    const sentence = document.createElement("span"); // read out; in sight it stands below
    sentence.className = "visually-hidden";
    sentence.textContent = `: ${steps[now].querySelector("p").textContent}`;
    said.replaceChildren(`${now + 1} of ${steps.length}`, sentence);
  };
  const follow = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const found = steps.findIndex((step) => step.contains(named));
    if (found < 0) return;
    show(found);
    named.scrollIntoView();
  };

  for (const [button, by] of [[back, -1], [next, 1]]) {
    button.type = "button";
    button.addEventListener("click", () => show(now + by));
  }
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
