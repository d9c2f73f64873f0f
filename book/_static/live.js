// Live panels: sliders that call the tested functions of ldpbook in the reader's browser.
// Python is loaded only on the first click.

import { element } from "./element.js";
import { ask, preload, SIZE, startBy } from "./python.js";

const POINTS = 60; // per curve
const DECADES = 6; // most decades on a logarithmic axis

// Four digits, in scientific notation where zeros would push them off a narrow screen.
const digits = (x) => {
  if (typeof x !== "number") return x;
  const plain = Number(x.toPrecision(4));
  return plain && Math.abs(plain) < 1e-4 ? plain.toExponential() : plain.toString();
};
// On an axis: three digits, in scientific notation where that is shorter.
const short = (x) => {
  const plain = Number(x.toPrecision(3)).toString();
  return plain.length > 7 || (x && Math.abs(x) >= 1e6) ? Number(x.toPrecision(3)).toExponential().replace("+", "") : plain;
};
// Logarithmic sliders have 20 steps per decade, so that they reach powers of ten exactly.
const toSlider = (s, value) => (s.log ? Math.log10(value) : value);
const whole = (s, value) => (s.integer ? Math.round(value) : value);
const fromSlider = (s, position) => whole(s, s.log ? 10 ** position : Number(position));

function grid(s, n = POINTS) {
  const step = (k) => k / (n - 1);
  const at = (k) => (s.log ? s.low * (s.high / s.low) ** step(k) : s.low + (s.high - s.low) * step(k));
  const points = Array.from({ length: n }, (_, k) => at(k));
  return s.integer ? [...new Set(points.map(Math.round))] : points;
}

// Round numbers between the ends of an axis.
function ticks({ low, high, log }) {
  const power = (x) => 10 ** Math.floor(Math.log10(x) + 1e-9);
  if (log) {
    const of = (factors) => {
      const found = [];
      for (let p = power(low); p < high; p *= 10) found.push(...factors.map((f) => f * p));
      return found.filter((v) => v > low && v < high);
    };
    return of(Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5]);
  }
  const least = (high - low) / 5;
  const step = [1, 2, 5, 10].map((f) => f * power(least)).find((v) => v >= least * (1 - 1e-9));
  const first = Math.ceil(low / step);
  return Array.from({ length: 6 }, (_, k) => (first + k) * step).filter((v) => v > low && v < high);
}

function draw(svg, sweep, x, curves, now, { unit, log, looks }) {
  svg.replaceChildren();
  const [left, right, top, bottom] = [72, 470, 24, 190];
  const numbers = Object.values(curves).flat().filter((v) => typeof v === "number");
  const most = Math.max(...numbers, 1e-9);
  const least = log ? Math.max(Math.min(...numbers.filter((v) => v > 0), most / 10), most / 10 ** DECADES) : Math.min(...numbers, 0);
  const inside = (v) => typeof v === "number" && v <= most && v >= least;
  const place = (v) => (sweep.log ? Math.log(v / sweep.low) / Math.log(sweep.high / sweep.low) : (v - sweep.low) / (sweep.high - sweep.low));
  const px = (v) => left + (right - left) * place(v);
  const height = (v) => (log ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least));
  const py = (v) => bottom - (bottom - top) * height(v);
  const zero = log ? bottom : py(0);
  element("line", { x1: left, x2: right, y1: zero, y2: zero, class: "live-axis" }, svg);
  element("line", { x1: left, x2: left, y1: top, y2: bottom, class: "live-axis" }, svg);
  const text = (x, y, anchor, words) => {
    element("text", { x, y, "text-anchor": anchor, class: "live-text" }, svg).textContent = words;
  };
  text(left - 6, top + 5, "end", short(most));
  text(left - 6, bottom, "end", short(least));
  if (zero - top > 20 && bottom - zero > 20) text(left - 6, zero + 5, "end", "0");
  text(left, bottom + 16, "start", short(sweep.low));
  text(right, bottom + 16, "end", short(sweep.high));
  for (const x of ticks(sweep).filter((v) => px(v) - left > 45 && right - px(v) > 45)) {
    element("line", { x1: px(x), x2: px(x), y1: bottom, y2: bottom + 4, class: "live-axis" }, svg);
    text(px(x), bottom + 16, "middle", short(x));
  }
  text((left + right) / 2, bottom + 38, "middle", sweep.label);
  text(left + 4, top - 8, "start", unit);
  Object.entries(curves).forEach(([label, values], k) => {
    const parts = values.map((v, i) => (inside(v) ? `${px(x[i]).toFixed(1)} ${py(v).toFixed(1)}` : null));
    let path = "";
    parts.forEach((p, i) => { if (p) path += (i && parts[i - 1] ? "L" : "M") + p; });
    element("path", { d: path, class: "live-look", fill: "none", stroke: looks[k].color, "stroke-width": 2.2, "stroke-dasharray": looks[k].dash }, svg);
    const value = now[label];
    if (inside(value)) {
      element("circle", { cx: px(now.x), cy: py(value), r: 4.5, class: "live-look", fill: looks[k].color }, svg);
    }
  });
}

async function start(panel, button, said) {
  const spec = JSON.parse(panel.dataset.panel);
  if (!(await startBy(button, said))) return;
  button.remove();
  said.className = "visually-hidden live-said";
  said.textContent = "Live: move the sliders.";
  panel.querySelector(".live-note").remove();
  const controls = element("div", { class: "live-controls" }, panel);
  const inputs = spec.sliders.map((s) => {
    const row = element("label", { class: "live-row" }, controls);
    element("span", { class: "live-name" }, row).textContent = s.label;
    const range = s.log ? { min: Math.log10(s.low), max: Math.log10(s.high), step: 0.05 } : { min: s.low, max: s.high, step: s.step };
    const input = element("input", { type: "range", name: s.name, ...range }, row);
    input.value = toSlider(s, s.start);
    const shown = element("span", { class: "live-value" }, row);
    return { s, input, shown };
  });
  const values = element("output", { class: "live-results", "aria-live": "polite" }, panel);
  const svg = element("svg", { viewBox: "0 0 480 236", role: "img", class: "live-curve" }, panel);

  // Show the positions of the sliders at once, and return the request to Python.
  const stand = () => {
    const at = {};
    for (const { s, input, shown } of inputs) {
      at[s.name] = fromSlider(s, input.value);
      shown.textContent = digits(at[s.name]);
      input.setAttribute("aria-valuetext", digits(at[s.name]));
    }
    const sweep = spec.sliders[0];
    return { functions: spec.functions, at, sweep: sweep.name, x: [...grid(sweep, spec.points), at[sweep.name]] };
  };
  const show = ({ at, x }, replies) => {
    const sweep = spec.sliders[0];
    const now = { x: at[sweep.name] };
    values.replaceChildren();
    Object.entries(replies).forEach(([label, found], k) => {
      now[label] = found.pop();
      const line = element("span", { class: "live-result" }, values);
      const sample = element("svg", { viewBox: "0 0 30 8", class: "live-sample live-look", "aria-hidden": "true" }, line);
      const { color, dash } = spec.looks[k];
      element("line", { x1: 0, x2: 30, y1: 4, y2: 4, stroke: color, "stroke-width": 2.2, "stroke-dasharray": dash }, sample);
      line.append(` ${label} `);
      element("strong", { "data-value": now[label] }, line).textContent = digits(now[label]);
    });
    x.pop();
    svg.setAttribute("aria-label", `${spec.title} against ${sweep.label}`);
    draw(svg, sweep, x, replies, now, spec);
  };
  // While Python works, moves are not queued: the next request uses only the last position.
  let asked, next;
  const update = async () => {
    next = stand();
    if (asked) return;
    panel.setAttribute("aria-busy", "true");
    try {
      while (next) {
        [asked, next] = [next, undefined];
        show(asked, JSON.parse(await ask("evaluate", JSON.stringify(asked))));
      }
    } finally {
      asked = undefined;
      panel.setAttribute("aria-busy", "false");
    }
  };
  inputs.forEach(({ input }) => input.addEventListener("input", update));
  await update();
  inputs[0].input.focus();
  panel.dataset.live = "ready";
}

for (const panel of document.querySelectorAll(".live-panel")) {
  const button = panel.querySelector(".live-start");
  button.hidden = false;
  panel.querySelector(".live-note").textContent = `Python is loaded from these pages, ${SIZE}, and runs in your browser.`;
  const said = element("p", { class: "live-said", role: "status" });
  button.after(said); // a status must exist before it is filled, or it may not be announced
  preload(button, "pointerenter");
  button.addEventListener("click", () => start(panel, button, said));
}
