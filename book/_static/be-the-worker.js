// The reader is the worker: five questions, the reports that leave the device, and a crowd's estimates.
// The package's own randomizer draws the reports, in a Python served beside the pages. Nothing is sent: answers
// are only in the form, in the memory of this script and in that of Python, and disappear with the page.

import { element } from "./element.js";
import { ask, preload, SIZE, startBy } from "./python.js";

const SECONDS = 120; // for one step, on a slow phone too
const percent = (share) => `${(100 * share).toFixed(share && Math.abs(share) < 0.01 ? 2 : 1)} %`;
// No report makes a belief certain, so no belief is shown as certain.
const belief = (p) => (p > 0.9995 ? "99.9… %" : p < 0.00005 ? "0.00… %" : percent(p));
const plain = (x) => Number(x.toPrecision(4)).toLocaleString("en");

// Radio buttons with a name for the group; the chosen value is a number.
function choice(parent, legend, name, labels, values, chosen, changed) {
  const group = element("fieldset", { class: "survey-choice" }, parent);
  element("legend", {}, group, legend);
  labels.forEach((words, k) => {
    const label = element("label", {}, group);
    const input = element("input", { type: "radio", name, value: values[k], autocomplete: "off" }, label);
    input.checked = values[k] === chosen;
    label.append(` ${words}`);
    input.addEventListener("change", changed);
  });
  return { group, value: () => Number(group.querySelector("input:checked").value) };
}

function button(parent, name, words, status, work) {
  const made = element("button", { type: "button", class: `survey-${name} btn btn-sm btn-outline-primary` }, parent, words);
  made.addEventListener("click", async () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    made.setAttribute("aria-disabled", "true"); // a disabled button would lose the focus
    try {
      await work();
    } catch (error) {
      status().textContent = "Python failed, so nothing was done and nothing was sent. Press again to restart it.";
      console.warn(error);
    } finally {
      made.removeAttribute("aria-disabled");
    }
  });
  return made;
}

function table(parent, caption, heads) {
  const made = element("table", { class: "survey-table" }, parent);
  element("caption", {}, made, caption);
  const row = element("tr", {}, element("thead", {}, made));
  for (const head of heads) element("th", { scope: "col" }, row, head);
  return made;
}

// An estimate with two standard errors on both sides, and the true share as a stroke, from 0 to 100 %.
function picture(cell, { share, error }, law) {
  const svg = element("svg", { viewBox: "0 0 100 14", class: "survey-picture", "aria-hidden": "true" }, cell);
  const place = (x) => (3 + 94 * Math.min(Math.max(x, 0), 1)).toFixed(2);
  element("path", { class: "survey-axis", d: "M3 13H97" }, svg);
  element("path", { class: "survey-law", d: `M${place(law)} 0V14` }, svg);
  element("path", { class: "survey-error", d: `M${place(share - 2 * error)} 7H${place(share + 2 * error)}` }, svg);
  element("circle", { class: "survey-found", cx: place(share), cy: 7, r: 2.6 }, svg);
}

function begin(section) {
  const { questions, null: missing, epsilons, crowds, opens } = JSON.parse(section.dataset.survey);
  let sent = []; // the reports of all draws so far, as if they had been sent
  let drawn = 0; // counts changes and draws: a reply older than the last of them is dropped
  const step = async (request) => JSON.parse(await ask("asked", JSON.stringify(request), SECONDS));

  const forget = () => {
    drawn += 1;
    if (sent.length) said.textContent = "You changed something, so your reports were discarded. Nothing was sent.";
    sent = [];
    yours.replaceChildren();
    found.replaceChildren();
    others.hidden = true;
    draw.textContent = "Draw my reports";
  };
  // Otherwise a page that the browser keeps for its button "Back" would show everything to the next person.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  addEventListener("pagehide", () => {
    for (const input of section.querySelectorAll("input:checked")) input.checked = false;
    forget();
  });
  const answers = questions.map(({ text, answers: words, law }, k) => {
    const last = words.indexOf(missing);
    return choice(section, text, `survey-${k}`, words, law.map((_, symbol) => symbol), last, forget);
  });
  const privacy = choice(section, "Epsilon of each question", "survey-epsilon", epsilons, epsilons, opens.epsilon, forget);

  const draw = button(section, "draw", "Draw my reports", () => said, async () => {
    const at = drawn;
    const symbols = answers.map((each) => each.value());
    const epsilon = privacy.value();
    const reply = await step({ answers: symbols, epsilon, sent });
    if (at !== drawn) return;
    drawn += 1;
    sent = reply.sent;
    show(symbols, epsilon, reply.beliefs);
  });
  const said = element("p", { class: "survey-said", role: "status", "aria-live": "polite" }, section);
  const yours = element("div", { class: "survey-yours" }, section);
  const others = element("div", { class: "survey-others" }, section);
  others.hidden = true;
  const size = choice(others, "Others who answer", "survey-others", crowds.map(plain), crowds, opens.others, () => {
    drawn += 1;
    found.replaceChildren();
    crowdSaid.textContent = "";
  });
  button(others, "join", "Join them", () => crowdSaid, async () => {
    const at = drawn;
    const n = size.value();
    const shares = await step({ reports: sent.at(-1), epsilon: privacy.value(), others: n });
    if (at === drawn) join(n, shares);
    else if (sent.length) crowdSaid.textContent = "Something has changed in the meantime: join them again.";
  });
  const crowdSaid = element("p", { class: "survey-said", role: "status", "aria-live": "polite" }, others);
  const found = element("div", { class: "survey-found-shares" }, others);

  function show(symbols, epsilon, beliefs) {
    const times = sent.length;
    const caption = "Your five answers, what a curator gets, and what it may believe if it treats answers to different questions as independent, as they are in this crowd";
    yours.replaceChildren();
    found.replaceChildren();
    crowdSaid.textContent = "";
    const made = table(yours, caption, ["Question", "Stays: your answer", "Leaves: report", "Belief in your answer"]);
    const body = element("tbody", {}, made);
    questions.forEach(({ about, answers: words }, k) => {
      const row = element("tr", {}, body);
      element("th", { scope: "row" }, row, about);
      element("td", { class: "survey-answer" }, row, words[symbols[k]]);
      const report = sent.at(-1)[k];
      const cell = element("td", { class: "survey-report", "data-symbol": report }, row, words[report]);
      if (report !== symbols[k]) element("span", { class: "survey-lie" }, cell, ", a lie");
      const { before, after, most } = beliefs[k];
      element("td", { class: "survey-belief", "data-after": after, "data-most": most }, row,
        `${belief(before)} before, ${belief(after)} now, at most ${belief(most)}`);
    });
    const lies = symbols.filter((symbol, k) => symbol !== sent.at(-1)[k]).length;
    said.textContent = `${symbols.length} reports drawn, ${lies} of them different from your answer. Nothing was sent. The table below shows the reports that would have been sent.`;
    const cost = element("p", { class: "survey-cost" }, yours);
    const each = plain(times * epsilon);
    const all = plain(times * epsilon * symbols.length);
    cost.textContent = times === 1
      ? `Epsilon is ${each} per question and ${all} for all your answers. If you sent your answers as they are, each belief would be 100 %.`
      : `Drawn ${times} times: if all had been sent, epsilon would be ${each} per question and ${all} for all your answers. The beliefs are those after all ${times}. A real survey asks once.`;
    draw.textContent = "Draw again (a real survey would not)";
    others.hidden = false;
  }

  function join(n, shares) {
    found.replaceChildren();
    const caption = `Estimates from ${plain(n)} others’ reports and yours, with standard errors`;
    const made = table(found, caption, ["Answer", "Estimate", "Distribution of the others", "Picture"]);
    let worst = 0;
    questions.forEach(({ text, answers: words, law }, k) => {
      const body = element("tbody", {}, made);
      element("th", { colspan: 4, scope: "rowgroup" }, element("tr", {}, body), text);
      words.forEach((word, symbol) => {
        const { share, error } = shares[k][symbol];
        const truth = law[symbol] / 100;
        worst = Math.max(worst, Math.abs(share - truth) / error);
        const row = element("tr", {}, body);
        element("th", { scope: "row" }, row, word);
        element("td", { class: "survey-share", "data-share": share, "data-error": error, "data-law": truth }, row,
          `${percent(share)} ± ${(100 * error).toFixed(1)}`);
        element("td", {}, row, `${law[symbol]} %`);
        picture(element("td", {}, row), shares[k][symbol], truth);
      });
    });
    crowdSaid.textContent = `${plain(n)} others joined. The farthest estimate is ${worst.toFixed(1)} standard errors from the distribution. The beliefs about you are those in the first table, whatever the others sent.`;
  }
  answers[0].group.querySelector("input:checked").focus();
}

for (const section of document.querySelectorAll("section.be-worker")) {
  const start = section.querySelector(".survey-start");
  const note = section.querySelector(".survey-note");
  start.hidden = false;
  const said = element("p", { class: "survey-loads", role: "status" });
  start.after(said); // a status must exist before it is filled, or it may not be announced
  note.textContent = `Python is loaded from these pages, ${SIZE}, and runs in your browser. Your answers stay there: nothing is sent, nothing is stored.`;
  preload(start, "pointerenter");
  start.addEventListener("click", async () => {
    if (!(await startBy(start, said))) return;
    start.remove();
    said.remove();
    note.textContent = "Answer or not, as you like: every question starts at “rather not say”. Nothing is sent, and nothing is stored when you leave.";
    begin(section);
    section.dataset.live = "ready";
  });
}
