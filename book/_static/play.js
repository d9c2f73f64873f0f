// Plays continue from the stills that play.py has drawn: the reader steps through them, draws again or moves
// a slider. The module of a play has its `parts`, by the same formulas as its Python; `draw` draws again what
// is random.

import { element } from "./element.js";
import { uniforms } from "./play-tools.js";

function fill(place, part) {
  if (typeof part === "number") return place.setAttribute("width", part);
  const [text, look] = [part, ""].flat();
  place.textContent = text;
  place.dataset.look = look;
}

async function start(figure) {
  const play = await import(`./play-${figure.dataset.play}.js`);
  const steps = Number(figure.dataset.steps);
  const opening = JSON.parse(figure.dataset.state);
  let state = { step: steps, ...opening };
  let seed = 0;
  const all = (selector) => [...figure.querySelectorAll(selector)];

  const controls = element("div", { class: "play-controls" });
  const sliders = element("div", { class: "play-controls" });
  const button = (words) => element("button", { type: "button", class: "btn btn-sm btn-outline-primary" }, controls, words);
  const next = button("");
  const again = button("Again");
  const place = element("span", { class: "play-place" }, controls);
  const said = element("output", { class: "visually-hidden", "aria-live": "polite" }, controls);

  function show() {
    const parts = play.parts(state);
    for (const each of all("[data-part]")) fill(each, parts[each.dataset.part]);
    for (const each of all("[data-step]")) each.classList.toggle("play-later", each.dataset.step > state.step);
    next.textContent = state.step === steps ? "Step by step" : "Next step";
    place.textContent = `Step ${state.step} of ${steps}`;
  }
  // What is new is read out: a step's own cells, or what follows from all of them.
  function tell() {
    const now = all(`[data-step="${state.step}"]`).flatMap((each) => (each.cells ? [...each.cells] : each));
    const point = figure.querySelector(".play-point");
    const told = point.classList.contains("play-later") ? now : [point];
    said.textContent = `${place.textContent}: ${told.map((each) => each.textContent).join(" ")}`;
  }
  function change(renewed) {
    state = { ...state, ...renewed };
    show();
    tell();
  }

  next.addEventListener("click", () => change({ step: (state.step % steps) + 1 }));
  again.addEventListener("click", () => { seed += 1; change(play.draw(state, uniforms(seed))); });
  for (const [name, words] of Object.entries(play.switches ?? {})) {
    const label = element("label", { class: "play-switch" }, controls);
    const input = element("input", { type: "checkbox" }, label);
    label.append(` ${words}`);
    input.checked = state[name];
    input.addEventListener("change", () => change({ [name]: input.checked }));
  }
  for (const [name, [words, values]] of Object.entries(play.sliders)) {
    const label = element("label", { class: "play-slider" }, sliders);
    element("span", {}, label, words);
    const input = element("input", { type: "range", min: 0, max: values.length - 1 }, label);
    const shown = element("span", {}, label);
    const tellValue = () => {
      shown.textContent = values[input.value].toLocaleString("en");
      input.setAttribute("aria-valuetext", shown.textContent);
    };
    input.value = values.indexOf(state[name]);
    tellValue();
    input.addEventListener("input", () => {
      tellValue();
      const moved = { ...state, [name]: values[input.value] };
      change(play.follows ? { ...moved, ...play.draw(moved, uniforms(seed)) } : moved);
    });
  }
  figure.prepend(controls, sliders);
  show();
}

for (const figure of document.querySelectorAll("figure.play")) start(figure);
