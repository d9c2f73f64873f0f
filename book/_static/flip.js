// The interactive figure of the first page: your answer is flipped, but the crowd's estimated share stays.
// It continues from the still figure that flip.py draws, with the same formulas. No answer leaves the page.

import { element } from "./element.js";

// A report tells the truth with probability keep, and lies otherwise.
export const report = (answer, keep, random = Math.random) => (random() < keep ? answer : 1 - answer);
export const estimate = (share, keep) => (share - (1 - keep)) / (2 * keep - 1);
export const deviation = (people, keep) => Math.sqrt((keep * (1 - keep)) / people) / (2 * keep - 1);
export const epsilon = (keep) => Math.log(keep / (1 - keep));

const OPENING = 4; // rounds that the page plays by itself, within five seconds
const PAUSE = 1000; // milliseconds
const KEPT = 40; // estimates that stay in the figure
const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const percent = (share) => (100 * share).toFixed(1);

function start(figure) {
  const about = JSON.parse(figure.dataset.flip);
  const part = (name) => figure.querySelector(`.flip-${name}`);
  const svg = figure.querySelector("svg");
  // The people who would say yes are drawn at random; the reader is not among them.
  const answers = Array(about.people).fill(0);
  for (let left = about.yes; left > 0; ) {
    const k = Math.floor(Math.random() * about.people);
    if (k !== about.you && !answers[k]) { answers[k] = 1; left -= 1; }
  }
  let keep = about.keep;
  let past = [];

  const controls = document.createElement("div");
  controls.className = "flip-controls";
  svg.before(controls);
  const group = element("fieldset", { class: "flip-answer" }, controls);
  element("legend", {}, group, "Have you ever cheated in an exam?");
  for (const [value, words] of [[1, "Yes"], [0, "No"]]) {
    const label = element("label", {}, group);
    const input = element("input", { type: "radio", name: "flip-answer", value }, label);
    input.checked = value === 0;
    label.append(` ${words}`);
    input.addEventListener("change", () => { answers[about.you] = value; past = []; next(); });
  }
  const button = element("button", { type: "button", class: "btn btn-sm btn-outline-primary flip-again" }, controls, "Flip it");
  const said = element("output", { class: "flip-said" }, controls);
  const row = document.createElement("label");
  row.className = "flip-row";
  svg.after(row);
  element("span", {}, row, "Everyone tells the truth with probability");
  const range = element("input", { type: "range", min: 0.6, max: 0.95, step: 0.05 }, row);
  range.value = keep;
  const shown = element("span", { class: "flip-keep" }, row);
  part("told").textContent = `Filled dots are reports of “yes”; the ringed one is yours. In each round the answers stay the same and only the lies change. The axis shows the share of cheaters: the estimates of your surveys (strokes), the truth (dashed), and two standard deviations on either side of it (shaded). A real survey asks once, because every further round would spend epsilon again.`;

  const place = (share) => (5 + 350 * Math.min(Math.max(share / about.most, 0), 1)).toFixed(1);
  const dots = (reports, wanted) => reports.map((said, k) => (said === wanted
    ? `M${about.step * (k % about.columns) + 8} ${about.step * Math.floor(k / about.columns) + 6}h0` : "")).join("");

  function next() {
    const reports = answers.map((answer) => report(answer, keep));
    const truth = mean(answers);
    const found = estimate(mean(reports), keep);
    const around = 2 * deviation(about.people, keep);
    past = [...past, found].slice(-KEPT);
    part("no").setAttribute("d", dots(reports, 0));
    part("yes").setAttribute("d", dots(reports, 1));
    part("past").setAttribute("d", past.map((share) => `M${place(share)} ${about.top + 14}V${about.axis - 8}`).join(""));
    part("now").setAttribute("cx", place(found));
    part("truth").setAttribute("d", `M${place(truth)} ${about.top + 2}V${about.axis}`);
    part("band").setAttribute("x", place(truth - around));
    part("band").setAttribute("width", place(truth + around) - place(truth - around));
    part("chance").textContent = (1 - keep).toFixed(2);
    part("gap").textContent = (2 * keep - 1).toFixed(2);
    part("odds").textContent = Math.exp(epsilon(keep)).toFixed(2);
    part("epsilon").textContent = epsilon(keep).toFixed(2);
    part("error").textContent = percent(around);
    shown.textContent = keep.toFixed(2);
    range.setAttribute("aria-valuetext", keep.toFixed(2));
    const yours = reports[about.you];
    const count = reports.filter(Boolean).length;
    said.replaceChildren();
    element("strong", { class: yours === answers[about.you] ? "flip-true" : "flip-lie" }, said,
      `You report “${yours ? "yes" : "no"}”${yours === answers[about.you] ? "." : ", a lie."}`);
    said.append(` ${count} of ${about.people.toLocaleString("en")} say yes. Estimate `);
    element("strong", { class: "flip-estimate" }, said, `${percent(found)} %`);
    said.append(`, truth ${percent(truth)} %.`);
    svg.setAttribute("aria-label", said.textContent);
    Object.assign(figure.dataset, { count, estimate: found, truth, keep, rounds: past.length });
  }

  let timer = 0;
  const stop = () => { clearInterval(timer); said.setAttribute("aria-live", "polite"); };
  button.addEventListener("click", () => { stop(); next(); });
  range.addEventListener("input", () => { stop(); keep = Number(range.value); past = []; next(); });
  group.addEventListener("change", stop);

  said.setAttribute("aria-live", "off"); // rounds that play by themselves are not read out
  next();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) stop();
  else timer = setInterval(() => { next(); if (past.length >= OPENING) stop(); }, PAUSE);
}

for (const figure of globalThis.document?.querySelectorAll("figure.flip") ?? []) start(figure);
