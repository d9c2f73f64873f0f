// Answers while the reader types, in the window of the search and on search.html. The ranking and its
// index are loaded when a field gets the focus, not before.

import { element } from "./element.js";

const home = document.documentElement.dataset.content_root;
let loading;

async function load() {
  const [{ open }, index] = await Promise.all([
    import("./search-rank.js"),
    fetch(new URL("search.json", import.meta.url)).then((reply) => reply.json()),
  ]);
  return open(index);
}

const link = (parent, attributes, address, text) => element("a", { ...attributes, href: home + address }, parent, text);

function list(box, { pages, objects }) {
  box.replaceChildren();
  const found = element("ol", { class: "search-pages" }, box);
  for (const { address, number, title, subtitle, section } of pages) {
    const item = element("li", {}, found);
    link(item, { class: "search-page" }, `${address}.html`, number ? `${number} ${title}` : title);
    if (subtitle) element("span", { class: "search-subtitle" }, item, subtitle);
    if (section) link(item, { class: "search-section" }, `${address}.html#${section.anchor}`, `Section: ${section.heading}`);
  }
  if (!objects.length) return;
  element("p", { class: "search-package" }, box, "In the package");
  const named = element("ul", { class: "search-objects" }, box);
  for (const { address, name, sentence } of objects) {
    const item = element("li", {}, named);
    link(item, {}, address, name);
    element("span", { class: "search-subtitle" }, item, sentence);
  }
}

function attend(form, answers) {
  const input = form.querySelector("input");
  answers.replaceChildren();
  const said = element("p", { class: "search-said", role: "status" }, answers);
  const box = element("div", {}, answers);

  async function answer() {
    const question = input.value.trim();
    try {
      const ask = await (loading ??= load());
      if (question !== input.value.trim()) return; // the reader went on typing
      const found = ask(question);
      list(box, found);
      const many = found.pages.length;
      if (!question) said.textContent = "";
      else if (!many) said.textContent = "No page was found. Try other words.";
      else said.textContent = many > 1 ? `${many} pages, the best first` : "1 page";
    } catch {
      said.textContent = "The search could not be loaded.";
    }
  }

  input.addEventListener("focus", answer);
  input.addEventListener("input", answer);
  // Arrows go from the field through what was found, and back.
  form.parentElement.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [input, ...box.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    if (!step || at < 0 || !stops[at + step]) return;
    event.preventDefault();
    stops[at + step].focus();
  });
  return input;
}

const dialog = document.getElementById("pst-search-dialog");
if (dialog) attend(dialog.querySelector("form"), element("div", { class: "search-answers" }, dialog));
const results = document.getElementById("search-results");
if (results) {
  const form = document.querySelector(".bd-search-container form");
  const input = attend(form, results);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?${new URLSearchParams({ q: input.value })}`);
  });
  input.focus();
}
