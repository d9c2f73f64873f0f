// Which pages answer a question: BM25 with fields (MiniSearch), over the index that search.py writes.

import MiniSearch from "./minisearch/index.js";
import { stemmer } from "./stemmer/index.js";

// Words that say nothing about what a question is after.
const STOP = new Set(`
  a about after again all also am an and any anybody anyone anything are aren as at be because been before being
  between both but by can cannot could did do does doing don down each else even every everybody everyone
  everything few for from get gets give gives go had has have having he her here him his how i if in into is it
  its just let like made make makes many may me might more most much must my need no nobody nor not nothing of
  off on once one only or other our out over own per please same say says shall she so some somebody someone
  something such take tell than that the their them then there these they thing things this those through to too
  under up us very want wants was we were what when where whether which while who whom whose why will with
  without would you your`.trim().split(/\s+/));
// British spellings, and words that look like them, become American; "private" becomes its noun, which
// has another stem.
const AMERICAN = [
  [/([a-z]{2})our(s|ed|ing|able|al|hoods?|ite|ful)?$/, "$1or$2"],
  [/([a-z]{2}[iy])s(e[drs]?|ers|ing|ations?|able)$/, "$1z$2"],
  [/([a-z]{2}t)re(s|d)?$/, "$1er$2"],
  [/([a-z]{2}en)ce(s|d)?$/, "$1se$2"],
  [/ogue(s?)$/, "og$1"],
  [/ae/, "e"],
  [/^programme(s?)$/, "program$1"],
  [/^grey/, "gray"],
  [/^private(ly)?$/, "privacy"],
];

const stems = new Map();
// The stem of a word; null for a word that says nothing.
function term(word) {
  const small = word.toLowerCase();
  if (!stems.has(small)) {
    const dropped = small.length < 2 || STOP.has(small) || /^\d+$/.test(small);
    stems.set(small, dropped ? null : stemmer(AMERICAN.reduce((said, [from, to]) => said.replace(from, to), small)));
  }
  return stems.get(small);
}

// The name of an object, with its parts: of RandomizedResponse or of expected_errors.
const split = (name) => `${name} ${name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ")}`;

// The words of a phrase, to be compared with a title.
const plain = (text) => ` ${text.toLowerCase().match(/[a-z]+/g)?.join(" ") ?? ""} `;

const WEIGHTS = { title: 8, subtitle: 3, keywords: 6, aims: 2, headings: 2, text: 1 };
const USUAL = 0.5; // the weight of a word of more than a third of the pages, which in titles may seem rare
const ENOUGH = 0.1; // of the best page's score: below it a page answers something else
const MOST = { pages: 20, objects: 8 };

// The words of each section, from the sections of each word.
function unpacked(words, sections) {
  const texts = sections.map(() => []);
  for (const [word, gaps] of Object.entries(words)) {
    let at = 0;
    for (const gap of gaps) texts[(at += gap)].push(word);
  }
  return texts.map((text) => text.join(" "));
}

// A function from a question to the pages and to the objects of the package that answer it, the best first.
export function open({ pages, sections: grouped, objects, words, common }) {
  const sections = grouped.flatMap((parts, page) => parts.map(([anchor, heading]) => [page, anchor, heading]));
  const known = new Set();
  const indexed = (fields, documents) => {
    const made = new MiniSearch({ fields, processTerm: (word) => { known.add(term(word)); return term(word); } });
    made.addAll(documents.map((document, id) => ({ id, ...document })));
    return made;
  };
  const texts = unpacked(words, sections);
  const parts = pages.map(() => []);
  sections.forEach(([page, , heading], id) => parts[page].push({ heading, text: texts[id] }));
  const ofSections = indexed(["heading", "text"], parts.flat());
  const ofPages = indexed(Object.keys(WEIGHTS), pages.map(([, , title, subtitle, keywords, aims], page) => ({
    title, subtitle, keywords, aims,
    headings: parts[page].map(({ heading }) => heading).join(" "),
    text: parts[page].map(({ text }) => text).join(" "),
  })));
  const name = ([, anchor]) => anchor.slice(anchor.lastIndexOf(".") + 1);
  const ofObjects = indexed(["name", "sentence"],
    objects.map((object) => ({ name: split(name(object)), sentence: object[2] })));

  const usual = new Set(common.map(term));
  // A word that the book does not have is taken as the beginning of one that it has, or as one with a typo.
  const strange = (word) => !known.has(word);
  const options = {
    processTerm: term,
    boostTerm: (word) => (usual.has(word) ? USUAL : 1),
    prefix: (word, at, all) => at === all.length - 1 && word.length > 2 && strange(word),
    fuzzy: (word) => strange(word) && word.length > 2 && (word.length > 5 ? 2 : 1),
  };
  return (question) => {
    const best = new Map();
    for (const { id } of ofSections.search(question, { ...options, boost: { heading: 3 } })) {
      const [page, anchor, heading] = sections[id];
      if (anchor && !best.has(page)) best.set(page, { anchor, heading });
    }
    // Chapters come first, and a page whose title is asked for comes before all others.
    const weight = (page) => (pages[page][1] ? 1 : 0.8) * (plain(pages[page][2]).includes(plain(question)) ? 3 : 1);
    const found = ofPages.search(question, { ...options, boost: WEIGHTS, boostDocument: weight });
    const named = ofObjects.search(question, { ...options, combineWith: "AND", boost: { name: 3 } });
    return {
      pages: found.filter(({ score }) => score > ENOUGH * found[0].score).slice(0, MOST.pages).map(({ id }) => {
        const [address, number, title, subtitle] = pages[id];
        return { address, number, title, subtitle, section: best.get(id) };
      }),
      objects: named.slice(0, MOST.objects).map(({ id }) => {
        const [page, anchor, sentence] = objects[id];
        return { address: `${pages[page][0]}.html#${anchor}`, name: name(objects[id]), sentence };
      }),
    };
  };
}
