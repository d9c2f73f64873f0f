// The chooser: a form before the decision chart, which says what to use for the reader's own crowd.
// The answers stay in the page; a changed one is written into the address, so that a link keeps them.

import { expect } from "./chooser-errors.js";
import { element } from "./element.js";
import { python } from "./chooser-python.js";

const PEOPLE = [2, 1_000_000];
const TIMES = [1, 10_000];
// For each kind of answer, what is asked about it: words, smallest and largest number, and what the form opens with.
export const KINDS = {
  rating: { name: "a rating on a scale", size: ["Answers on the scale", 3, 10, 5], people: ["People who are asked", ...PEOPLE, 10_000],
    questions: ["Questions", ...TIMES, 50], density: ["Percentage of them that a person answers", 0.2, 100, 10],
    epsilon: ["Epsilon", 0.1, 4, 1], wanted: ["Acceptable mean error, in steps of the scale", 0.001, 10, 0.2] },
  choice: { name: "a choice among a few", size: ["Choices", 2, 50, 4], people: ["People who are asked", ...PEOPLE, 10_000],
    questions: ["Questions", ...TIMES, 50], density: ["Percentage of them that a person answers", 0.2, 100, 10],
    epsilon: ["Epsilon", 0.1, 4, 1], wanted: ["Acceptable mean error of a share, in percentage points", 0.01, 100, 10] },
  place: { name: "a place", radius: ["Radius of the area, in metres", 1, 1e7, 5000],
    distance: ["Distance over which two places should be hard to distinguish, in metres", 1, 1e6, 200],
    questions: ["Reports per person", ...TIMES, 1], epsilon: ["Epsilon at that distance", 0.1, 4, 1],
    wanted: ["Acceptable mean error, in metres", 0.1, 1e7, 500] },
  labels: { name: "labels of records that an office holds", size: ["Classes", 2, 50, 2], people: ["Records per group", 1, 65_536, 500],
    questions: ["Groups in which a person can have a record", ...TIMES, 1], epsilon: ["Epsilon", 0.1, 2, 1],
    wanted: ["Acceptable mean error of a share, in percentage points", 0.001, 100, 2] },
};
const UNITS = { answer: "one answer", person: "the person, with all answers" };
const SIZES = [3, 5, 7, 10]; // of scales in the table

const questionsOf = (asked) => (asked === 1 ? "1 question" : `${asked} questions`);
// What is used, and the chapter about it.
const WAYS = {
  thresholds: () => ["threshold responses in three phases", "remedies/smaller-question", "Threshold responses"],
  asked: ({ asked }) => [`threshold responses to ${questionsOf(asked)} per person, drawn at random`, "whole-worker/sampling-questions", "Few questions per person"],
  mixed: () => ["noisy bits about mixtures of each person’s answers", "whole-worker/sampling-questions", "Bits about mixtures"],
  own: () => ["a noisy report of one of a person’s own answers", "whole-worker/sampling-questions", "One of her own answers"],
  choices: ({ asked }, { unit }) => [`one layer of flips, with no answer as one more choice${unit === "answer" ? "" : `, for ${questionsOf(asked)} per person, drawn at random`}`, "categorical-answers/one-layer", "One layer"],
  place: () => ["noise on a lattice", "remedies/location-noise", "Noise for places"],
  labels: () => ["noisy counts with an interval", "remedies/honest-ratios", "Honest ratios"],
};
const WHAT = {
  rating: "The median of a question’s ratings", choice: "The share of a choice", place: "The place", labels: "The share of a class",
};
const PROMISES = {
  rating: ["one answer of a person and whether there is one, not the person", "a person with all answers, and which questions she answered"],
  choice: ["one answer of a person and whether there is one, not the person", "a person with all answers, and which questions she answered"],
  place: ["one report of a place, and in proportion less the further two places are apart", "all reports of a person together, for places that far apart"],
  labels: ["the label of one record, from readers of the shares; the office sees all labels", "all labels of a person, from readers of the shares; the office sees all labels"],
};

// How close the numbers are to the package's; tests/pages/extension/test_chooser.py measures it.
const NEAR = {
  rating: "Errors come from a table computed with the package and are within 3 % of its results, limits within 5 %, numbers of people within 10 %. In some crowds, mostly above epsilon 3, the error of decoded randomized response is about a tenth smaller, which the Python code shows",
  choice: "Simulated errors are at most 10 % above these", place: "Simulated errors are within 3 % of these",
  labels: "Simulated errors are at most 20 % above these",
};

const short = (number) => (number < 100 ? number.toPrecision(2) : Number(number.toPrecision(2)).toLocaleString("en"));
const inUnits = (kind, error) => ({ rating: `${short(error)} steps`, place: `${short(error)} m` })[kind] ?? `${short(100 * error)} percentage points`;
const atLeast = (people) => (people < 100 ? String(people) : short(people));

// What the form holds, or what is wrong with it.
export function settingOf(values) {
  const asked = KINDS[values.kind];
  const setting = { kind: values.kind, unit: values.unit };
  for (const [name, [words, low, high]] of Object.entries(asked).filter(([name]) => name !== "name")) {
    const number = Number(values[name]);
    const whole = ["size", "people", "questions"].includes(name);
    if (values[name] === "" || !(number >= low && number <= high) || (whole && !Number.isInteger(number))) {
      return { wrong: name, why: `“${words}” must be ${whole ? "a whole number" : "a number"} from ${low.toLocaleString("en")} to ${high.toLocaleString("en")}; the table ends there.` };
    }
    setting[name] = number;
  }
  if (setting.density) setting.density /= 100;
  if (["choice", "labels"].includes(setting.kind)) setting.wanted /= 100;
  return setting;
}

// The answer in words: what to use and its error, the rows below, the chapter.
export function answer(setting, table) {
  const found = expect(setting, table);
  const { kind, unit, wanted } = setting;
  const said = (error) => inUnits(kind, error);
  const [use, page, title] = WAYS[found.way](found, setting);
  const who = kind === "labels" ? "records per group" : "people";
  const more = kind === "labels" ? "merge groups until they are larger" : "ask more people";
  const outside = Number.isNaN(found.error);
  const low = found.begins;
  const begins = Number.isNaN(low) ? "" : ` From about ${atLeast(low)} ${who} on, a report is worth it.`;
  const instead = kind === "place" ? "Use nothing: more people do not help. Take a larger epsilon, or a shorter distance."
    : `Use nothing: ${more}.${begins}`;
  const rows = [];
  if (outside) return { use: "This crowd lies outside the table. The Python below computes what to use.", error: "", page, title, found, rows };
  // Where a report hardly tells anything, the table is too coarse to say more.
  const compared = found.error < found.constant ? `would be off by ${said(found.error)}` : "would do no better";
  const constant = kind === "place" ? "the middle of the area" : "one number for all";
  const error = found.worth ? `${WHAT[kind]} will be off by ${said(found.error)} on average, and ${constant} by ${said(found.constant)}.`
    : `With ${constant} you are off by ${said(found.constant)} on average. The best plan, ${use}, ${compared}.`;
  if (found.range && found.worth) {
    const [from, to] = found.range;
    rows.push(["If the guesses are wrong by half", `From ${said(from)} to ${Number.isFinite(to) ? said(to) : "more than one number for all"}.`]);
  }
  rows.push(["Limit", Number.isFinite(found.limit) ? `No mechanism with this promise is expected to come closer to the truth than ${said(found.limit)}. The median of the answers may differ from the truth, and on a short scale it can be estimated with a smaller error.`
    : "This book knows no limit for this."]);
  if (kind === "place") rows.push([`For an error of ${said(wanted)}`, wanted < found.constant ? `Epsilon ${short(found.epsilonFor(wanted))}, however many people there are.` : "The middle of the area will do."]);
  else rows.push([`For an error of ${said(wanted)}`, found.people === 0 ? "One number for all will do."
    : Number.isNaN(found.people) ? "More than the table holds." : `About ${atLeast(found.people)} ${who}.`]);
  rows.push(["Promise", `Epsilon ${setting.epsilon} ${found.worth ? "protects" : "would protect"} ${PROMISES[kind][unit === "answer" ? 0 : 1]}. A report can be at most ${short(Math.exp(setting.epsilon))} times as likely with one as with another.`]);
  rows.push(["Guesses", {
    rating: `Answers differ from the truth of a question by ${100 * table.errors} % of the scale’s length, and truths from each other by ${100 * table.spread} % (standard deviations, around the middle).`,
    choice: "All divisions of a question into shares are equally likely. The share of questions answered is the same for all.",
    place: "The place is equally likely anywhere in a circle of that radius; one number for all is its middle.",
    labels: "All divisions of a group into classes are equally likely.",
  }[kind]]);
  return { use: found.worth ? `Use ${use}.` : instead, error, page, title, found, rows };
}

function choices(parent, name, legend, options, checked) {
  const group = element("fieldset", { class: "chooser-choices" }, parent);
  element("legend", {}, group, legend);
  for (const [value, words] of Object.entries(options)) {
    const label = element("label", {}, group);
    const input = element("input", { type: "radio", name: `chooser-${name}`, value }, label);
    input.checked = value === checked;
    label.append(words);
  }
  return group;
}

function start(chooser, table, number) {
  const chart = chooser.querySelector(".chooser-chart");
  chart.id = `chooser-chart-${number}`;
  const shared = new URLSearchParams(location.hash.startsWith("#chooser&") ? location.hash.slice(9) : "");
  const opens = KINDS[shared.get("kind")] ? shared.get("kind") : "rating";
  const form = element("form", { class: "chooser-form", "aria-label": "What should you use?" });
  const kinds = Object.fromEntries(Object.entries(KINDS).map(([kind, { name }]) => [kind, name]));
  choices(form, "kind", "An answer holds", kinds, opens);
  const crowd = element("div", { class: "chooser-numbers" }, form);
  choices(form, "unit", "Protect", UNITS, UNITS[shared.get("unit")] ? shared.get("unit") : "answer");
  const promise = element("div", { class: "chooser-numbers" }, form);
  const inputs = () => [...form.querySelectorAll(".chooser-numbers [name]")];
  const said = element("div", { class: "chooser-said" });
  const use = element("p", { class: "chooser-use", role: "status" }, said);
  const rows = element("dl", {}, said);
  const read = element("p", {}, said);
  const code = element("pre", { tabindex: 0, "aria-label": "Python" }, said);
  const buttons = element("p", { class: "chooser-buttons" }, said);
  const fold = element("button", { type: "button", class: "btn btn-sm btn-outline-primary", "aria-controls": chart.id }, undefined, "All cases in a chart");
  chart.before(form, said, fold);

  // The numbers that this kind of answer needs, as they were typed or shared, or as the form opens.
  function ask(kind, typed) {
    crowd.replaceChildren();
    promise.replaceChildren();
    for (const [name, [words, low, high, opening]] of Object.entries(KINDS[kind]).filter(([name]) => name !== "name")) {
      const label = element("label", {}, ["epsilon", "wanted"].includes(name) ? promise : crowd, words);
      const value = typed[name] ?? opening;
      if (kind === "rating" && name === "size") {
        const select = element("select", { name }, label);
        for (const size of SIZES) element("option", { value: size }, select, size);
        select.value = SIZES.includes(Number(value)) ? value : opening;
      } else {
        element("input", { name, type: "number", inputmode: "decimal", min: low, max: high, step: "any", value }, label);
      }
    }
  }

  const values = () => ({
    kind: form.querySelector("[name=chooser-kind]:checked").value,
    unit: form.querySelector("[name=chooser-unit]:checked").value,
    ...Object.fromEntries(inputs().map((input) => [input.name, input.value.trim()])),
  });

  function show() {
    const setting = settingOf(values());
    for (const input of inputs()) input.setAttribute("aria-invalid", input.name === setting.wrong);
    for (const part of [rows, read, code, buttons]) part.hidden = Boolean(setting.wrong);
    chooser.dataset.worth = "";
    if (setting.wrong) { use.textContent = setting.why; return; }
    const told = answer(setting, table);
    if (use.textContent !== `${told.use} ${told.error}`) {
      use.replaceChildren();
      element("strong", {}, use, told.use);
      use.append(` ${told.error}`);
    }
    chooser.dataset.worth = told.found.worth;
    rows.replaceChildren();
    for (const [name, words] of told.rows) {
      element("dt", {}, rows, name);
      element("dd", {}, rows, words);
    }
    read.textContent = "Read: ";
    element("a", { href: `${document.documentElement.dataset.content_root}book/${told.page}.html` }, read, told.title);
    read.append(`. ${NEAR[setting.kind]}.`);
    code.textContent = python(setting, told.found, table);
    Object.assign(chooser.dataset, { error: told.found.error, people: told.found.people });
  }

  function changed(event) {
    if (event.target.name === "chooser-kind") ask(event.target.value, {});
    show();
    history.replaceState(null, "", `#chooser&${new URLSearchParams(values())}`);
  }

  if (navigator.clipboard) {
    const copy = (words, text) => {
      const button = element("button", { type: "button", class: "btn btn-sm btn-outline-primary" }, buttons, words);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text());
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = words; }, 2000);
      });
    };
    copy("Copy the Python", () => code.textContent);
    copy("Copy a link to these answers", () => `${location.href.split("#")[0]}#chooser&${new URLSearchParams(values())}`);
  }
  const open = (is) => { chart.classList.toggle("chooser-folded", !is); fold.setAttribute("aria-expanded", is); };
  fold.addEventListener("click", () => open(chart.classList.contains("chooser-folded")));
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  open(false);
  ask(opens, Object.fromEntries(shared));
  show();
  if (shared.size) chooser.scrollIntoView();
}

const found = [...(globalThis.document?.querySelectorAll(".chooser") ?? [])];
if (found.length) {
  const table = await (await fetch(new URL("chooser.json", import.meta.url))).json();
  found.forEach((chooser, number) => start(chooser, table, number));
}
