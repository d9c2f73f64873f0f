// Fields under exercises: the package's own check judges an answer in the reader's browser.
// Answers and results are stored only there, in the browser's storage, and are never sent.

import { element } from "./element.js";
import { ask, counter, load, preload, SIZE } from "./python.js";

const KEPT = "ldpbook.answers"; // name of the storage: {label: {text, right}}
const SECONDS = 10; // for one answer, on a slow phone too
const SIGNS = { right: "✓", wrong: "✗", unfit: "!" };
const LATE = `This ran for more than ${SECONDS} seconds and was stopped. Does it end?`;
const BROKEN = "This stopped Python itself. The next check restarts it.";
const KNOWN = "Python with the names of math, `ln`, and the standard normal distribution function `Phi` and density `phi`. "
  + "Ctrl+Enter checks.";
const BUSY = `Checking … The first time, Python is loaded from these pages: ${SIZE}.`;
const FAILED = "Python could not be loaded: try again (pages must come from a web server).";

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT));
    return found instanceof Object && !Array.isArray(found) ? found : {};
  } catch {
    return {}; // no storage, or not our data
  }
}

// The stored data of one answer; values of another type are ignored.
function keptOf(label) {
  const { text, right } = Object(kept()[label]);
  return { text: typeof text === "string" ? text : "", right: right === true };
}

function keep(label, changes) {
  const all = kept();
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...all, [label]: { ...all[label], ...changes } }));
  } catch {
    // Answers are judged without storage too.
  }
}

function forget() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // Without storage nothing was stored.
  }
}

function say(said, state, words) {
  said.dataset.said = state;
  said.textContent = `${SIGNS[state] ?? ""} `.trimStart();
  write(words, said);
}

// Words with code between backticks.
function write(words, place) {
  words.split(/`([^`]+)`/).forEach((piece, k) => {
    if (k % 2) element("code", {}, place, piece);
    else if (piece) place.append(piece);
  });
}

function mark(exercise, right) {
  exercise.querySelector(".answered")?.remove();
  if (right) element("span", { class: "answered" }, exercise.querySelector(".admonition-title"), "✓ answered");
}

// The state and the message for a text; failures become a message too.
async function judged(label, text, tell) {
  try {
    await load(tell);
  } catch {
    return ["unfit", FAILED];
  }
  try {
    const { state, message, printed } = JSON.parse(await ask("judge", JSON.stringify({ label, text }), SECONDS));
    return [state, printed ? `${message} (It prints: ${printed})` : message];
  } catch (error) {
    return ["unfit", error.message === "late" ? LATE : BROKEN];
  }
}

function field(place) {
  const { exercise: label, begins, accepts } = place.dataset;
  const exercise = place.closest(".exercise");
  const number = exercise.querySelector(".caption-number")?.textContent.trim() ?? label;
  const name = element("label", { for: `answer-${label}` }, place, "Your answer");
  element("span", { class: "visually-hidden" }, name, ` to ${number}`);
  const code = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
  const text = element("textarea", { id: `answer-${label}`, "aria-describedby": `how-${label}`, ...code }, place);
  const row = element("div", { class: "field-row" }, place);
  const button = element("button", { type: "button", class: "field-check btn btn-sm btn-outline-primary" }, row, "Check");
  element("span", { class: "visually-hidden" }, button, ` the answer to ${number}`);
  const how = element("div", { id: `how-${label}`, class: "field-how" }, row);
  write(accepts, element("p", { class: "field-accepts" }, how));
  write(KNOWN, element("p", {}, how));
  const said = element("p", { class: "field-said", role: "status", "aria-live": "polite" }, place);

  const grow = () => { text.rows = Math.min(20, text.value.split("\n").length); };
  const show = () => {
    const before = keptOf(label);
    text.value = before.text || begins;
    grow();
    mark(exercise, before.right);
    say(said, "", "");
  };
  const check = async () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true"); // not disabled: the focus would be lost
    // Shown only if checking takes long: each message makes the page lay itself out again.
    let [come, tell] = [0, () => {}];
    const slow = setTimeout(() => {
      say(said, "busy", BUSY);
      tell = counter(said);
      if (come) tell(come);
    }, 300);
    const [state, words] = await judged(label, text.value, (bytes) => tell(come = bytes));
    clearTimeout(slow);
    button.removeAttribute("aria-disabled");
    say(said, state, words);
    if (state !== "right") return;
    keep(label, { text: text.value, right: true });
    mark(exercise, true);
  };

  text.addEventListener("input", () => {
    grow();
    keep(label, { text: text.value });
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    check();
  });
  button.addEventListener("click", check);
  preload(text, "focus");
  show();
  return show;
}

const fields = [...document.querySelectorAll(".answer-field")];
const shows = fields.map(field);
if (fields.length) {
  const row = element("div", { class: "field-row field-kept" }, fields.at(-1));
  element("span", {}, row, "What you type is stored only in this browser.");
  const button = element("button", { type: "button", class: "field-forget btn btn-sm btn-link" }, row, "Forget my answers");
  const said = element("span", { role: "status", "aria-live": "polite" }, row);
  button.addEventListener("click", () => {
    forget();
    for (const show of shows) show();
    said.textContent = "Forgotten.";
  });
}
