// A shuffled crowd: what an attacker believes about Ann's answer with her name on the report, and without.

import { whole } from "./play-tools.js";

const DELTA = 1e-6;

export const sliders = {
  epsilon: ["epsilon of a report", [0.5, 1, 2, 3, 4]],
  workers: ["reports", [3, 10, 100, 1000, 10000, 100000]],
};
export const follows = true; // what is drawn depends on the sliders

export const flip = (epsilon) => 1 / (1 + Math.exp(epsilon));

export function draw({ epsilon, workers }, random) {
  const reports = (k) => (random() < flip(epsilon) ? 1 - Math.sign(k) : Math.sign(k)); // Ann holds 0, all others 1
  const named = [0, 1, 2].map(reports);
  let zeros = named.filter((report) => report === 0).length;
  for (let k = 3; k < workers; k += 1) zeros += 1 - reports(k);
  return { named, zeros };
}

// Largest probability of a binomial number: the inverse of the sum of all, relative to that of the mode.
export function atMode(trials, p) {
  const mode = Math.floor((trials + 1) * p);
  let total = 1;
  for (const side of [-1, 1]) {
    let way = 1;
    for (let c = mode; way > 1e-18; c += side) {
      way *= side > 0 ? ((trials - c) * p) / ((c + 1) * (1 - p)) : (c * (1 - p)) / ((trials - c + 1) * p);
      total += way;
    }
  }
  return 1 / total;
}

export function closedForm(local, n) {
  if (local > Math.log(n / (16 * Math.log(2 / DELTA)))) return local;
  const amount = 8 * Math.sqrt((Math.exp(local) * Math.log(4 / DELTA)) / n) + (8 * Math.exp(local)) / n;
  return Math.min(local, Math.log1p(Math.tanh(local / 2) * amount));
}

export function parts({ epsilon, workers, named, zeros }) {
  const lie = flip(epsilon);
  const keep = 1 - lie;
  const known = named[0] === 0 ? keep : lie;
  // One of the zeros is hers, or none: Bayes' rule with the binomial number of the others' zeros.
  const [hers, others] = [zeros * keep, (workers - zeros) * lie];
  const counted = (keep * hers + lie * others) / (hers + others);
  const right = (1 + (keep - lie) * atMode(workers - 1, lie)) / 2;
  const central = closedForm(epsilon, workers);
  const shown = {
    names: `Ann ${named[0]}, Bob ${named[1]}, Cem ${named[2]}${workers > 3 ? `, and ${whole(workers - 3)} others` : ""}`,
    mixed: `${whole(zeros)} say 0, ${whole(workers - zeros)} say 1`,
    local: epsilon.toFixed(2),
    central: central.toFixed(2),
  };
  for (const [name, share] of Object.entries({ named: known, counted, rightnamed: keep, rightcounted: right })) {
    shown[name] = share.toFixed(3);
    shown[`${name}bar`] = share;
  }
  const small = central === epsilon ? " The crowd is too small for the closed form, so her epsilon stays." : "";
  shown.point = `One of ${whole(workers)} reports without names: Ken guesses Ann’s answer rightly with probability ${right.toFixed(3)}, against ${keep.toFixed(3)} if her name is on it.${small}`;
  return shown;
}
