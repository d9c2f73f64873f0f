// The attack on a row: six reports without names, weighed cell by cell by an attacker who knows Ann's row.

import { sum, whole } from "./play-tools.js";

const KNOWN = [5, 3, 4, 1, 2, 4]; // Ann's ratings; strangers have none for these lecturers
const SYMBOLS = [1, 2, 3, 4, 5, null];
const REPORTS = [..."ABCDEF"];

export const sliders = { epsilon: ["epsilon of a cell", [0.25, 0.5, 1, 2, 3]] };

export const draw = (state, random) => ({
  ann: Math.floor(random() * REPORTS.length),
  uniforms: REPORTS.map(() => KNOWN.map(random)),
});

// Randomized response: the lowest uniforms forget their cell and draw one of all symbols.
export function respond(held, u, epsilon) {
  const drawn = Math.floor(u * (SYMBOLS.length - 1 + Math.exp(epsilon)));
  return drawn < SYMBOLS.length ? SYMBOLS[drawn] : held;
}

// How often the heaviest report is the right one: a stranger's cell has the power -1, 0 or 1 of e^epsilon.
export function rate(cells, epsilon) {
  const total = SYMBOLS.length - 1 + Math.exp(epsilon);
  const cell = [Math.exp(epsilon) / total, (SYMBOLS.length - 2) / total, 1 / total];
  let powers = [1];
  for (let k = 0; k < cells; k += 1) {
    powers = Array.from({ length: powers.length + 2 }, (_, t) => sum(cell.map((p, d) => p * (powers[t - d] ?? 0))));
  }
  const upTo = (t) => sum(powers.slice(0, t + 1)) ** REPORTS.length; // all six are at most there
  return sum(powers.map((_, t) => Math.exp(epsilon * (t - cells)) * (upTo(t) - upTo(t - 1)))) / REPORTS.length;
}

// A weight, below 1 as a fraction.
function times(weight) {
  const number = Math.max(weight, 1 / weight);
  const text = number >= 100 ? whole(number) : number.toFixed(1);
  return weight >= 1 ? text : `1/${text}`;
}

export function parts({ epsilon, ann, uniforms, step }) {
  const shown = {};
  const weights = REPORTS.map((_, i) => {
    let power = 0; // of e^epsilon: one more for her rating, one less for NULL
    uniforms[i].forEach((u, j) => {
      const cell = respond(i === ann ? KNOWN[j] : null, u, epsilon);
      const look = cell === null ? "null" : cell === KNOWN[j] ? "same" : "";
      shown[`cell${i}${j}`] = [`${cell ?? "·"}`, look];
      if (j < step) power += (look === "same") - (look === "null");
    });
    return Math.exp(epsilon * power);
  });
  const beliefs = weights.map((weight) => weight / sum(weights));
  beliefs.forEach((belief, i) => {
    shown[`weight${i}`] = times(weights[i]);
    shown[`belief${i}`] = belief.toFixed(3);
    shown[`beliefbar${i}`] = belief;
  });
  const cells = step === 1 ? "1 cell" : `${step} cells`;
  shown.point = `Report ${REPORTS[ann]} is Ann’s. After ${cells} Ken believes so with probability ${beliefs[ann].toFixed(3)}. Over all draws his best guess is right with probability ${rate(step, epsilon).toFixed(3)}, a blind guess with 0.167.`;
  return shown;
}
