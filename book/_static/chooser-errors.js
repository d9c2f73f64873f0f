// What the chooser expects of a survey: errors from the package's table, and its closed forms.
// Ratings are measured in lengths of their scale here, and in steps of it in what leaves this file.

const { ceil, exp, expm1, floor, log, log1p, max, min, PI, round, sqrt } = Math;

// A table's value, interpolated linearly between its entries; NaN outside the table.
function between(values, axes, at, from = 0) {
  if (!axes.length) return values[from];
  const [axis, ...others] = axes;
  const [x, ...rest] = at;
  const stride = others.reduce((size, other) => size * other.length, 1);
  const k = axis.findIndex((place, i) => place <= x && (x <= axis[i + 1] || x === place));
  if (k < 0) return NaN;
  const low = between(values, others, rest, from + k * stride);
  if (x === axis[k]) return low;
  const high = between(values, others, rest, from + (k + 1) * stride);
  return low + ((high - low) * (x - axis[k])) / (axis[k + 1] - axis[k]);
}

// Closed forms of ldpbook.whole_worker.sampling_bounds, for answers with standard deviation 1.
function told(budget, density) {
  const other = exp(-budget);
  const kept = -expm1(-budget);
  return (density * kept) / sqrt((1 + 2 * other) * (2 * other + density * kept));
}
const thresholdInformation = (budget, density) => (2 / PI) * told(budget, density) ** 2;

function evenBudget(density) {
  let [low, high] = [0, 2000];
  for (let turn = 0; turn < 60; turn += 1) {
    const budget = (low + high) / 2;
    const other = exp(-budget);
    const kept = -expm1(-budget);
    const grows = (budget / kept) * ((3 * other) / (1 + 2 * other) + (2 * other) / (2 * other + density * kept));
    if (grows > 1) low = budget; else high = budget;
  }
  return low;
}

export function questionsToAsk(questions, epsilon, density) {
  const ideal = min(epsilon / evenBudget(density), questions);
  const [fewer, more] = [max(1, floor(ideal)), max(1, min(questions, ceil(ideal)))];
  const worth = (asked) => sqrt(asked) * told(epsilon / asked, density);
  return worth(more) > worth(fewer) ? more : fewer;
}

function sway(n, density) {
  const step = 0.25;
  let total = 0;
  for (let k = round((-log1p(n * density) - 80) / step); k < round(60 / step); k += 1) {
    const x = 1 / (1 + exp(-k * step));
    const rest = 1 / (1 + exp(k * step));
    const y = 2 * density * x;
    total += rest * sqrt(rest * x) * (y < 0.5 ? exp((n - 1) * log1p(-y)) : (1 - y) ** (n - 1));
  }
  return (2 / PI) * step * total;
}

export function mixedInformation(questions, epsilon, density) {
  let most = 0;
  for (let groups = 1; groups <= round(min(2 + epsilon / 0.6, questions)); groups += 1) {
    const size = floor(questions / groups);
    const share = ((questions % groups) * (size + 1)) / questions;
    const moved = sqrt(share * sway(size + 1, density) ** 2 + (1 - share) * sway(size, density) ** 2);
    const kept = -expm1(-epsilon / groups) / (1 + exp(-epsilon / groups));
    most = max(most, (2 / PI) * (kept * density * moved) ** 2);
  }
  return most;
}

export function ownInformation(questions, epsilon, density) {
  const drawn = (density < 1 ? -expm1(questions * log1p(-density)) : 1) / questions;
  const kept = -expm1(-epsilon);
  return (kept * drawn) ** 2 / PI / (4 * exp(-epsilon) + drawn * kept ** 2);
}

function rowLimit(questions, epsilon, density) {
  const spread = (2 / PI) * density * Math.sinh(epsilon / 2) ** 2;
  return min(spread, 2 * epsilon, questions * density) / questions;
}

// What can be asked about ratings, with its error in steps of the scale, for one of the table's guesses.
function ratings(table, { size, people, questions, unit, epsilon }, density, guess, asked) {
  const [errors, spread] = table.guesses[guess];
  const times = ((table.spread * spread) / (table.errors * errors)) ** 2;
  const constant = table.constants[table.sizes.indexOf(size)][guess];
  const places = (values) => {
    const length = values.length / table.sizes.length / table.guesses.length;
    return (table.sizes.indexOf(size) * table.guesses.length + guess) * length;
  };
  const logs = (axis) => axis.map(log);
  const found = (values, axes, at, all) => {
    if (all < table.told[0]) return Infinity; // so little that one number for all does better
    return constant * exp(between(values, axes, at, places(values)) / 1000);
  };
  const thresholds = (budget, reports) => {
    const all = reports * times * thresholdInformation(budget, density);
    const odds = log1p(max(expm1(budget) * density, table.odds[0])); // with less the error is the same
    const axes = [logs(table.tasks), table.odds.map(log1p), logs(table.told)];
    return found(table.thresholds, axes, [log(questions), odds, log(all)], all);
  };
  const rows = (information) => {
    const all = people * times * information;
    return found(table.mixtures, [logs(table.tasks), logs(table.told)], [log(questions), log(all)], all);
  };
  if (unit === "answer") return { thresholds: () => thresholds(epsilon, people) };
  return {
    asked: () => thresholds(epsilon / asked, (people * asked) / questions),
    mixed: () => rows(mixedInformation(questions, epsilon, density)),
    own: () => rows(ownInformation(questions, epsilon, density)),
  };
}

// The way with the smallest error, and this error; NaN if the error of one way lies outside the table.
function least(ways) {
  const errors = Object.entries(ways).map(([way, error]) => ({ way, error: error() }));
  return errors.find(({ error }) => Number.isNaN(error)) ?? errors.sort((a, b) => a.error - b.error)[0];
}

function rating(setting, table) {
  const { size, people, questions, density, unit, epsilon } = setting;
  const asked = questionsToAsk(questions, epsilon, density);
  const best = (crowd) => least(ratings(table, { ...setting, people: crowd }, density, 0, asked));
  const { way, error } = best(people);
  const around = [error];
  for (const share of [0.5, 1.5]) {
    for (let guess = 1; guess < table.guesses.length; guess += 1) {
      around.push(ratings(table, setting, min(1, share * density), guess, asked)[way]());
    }
  }
  const place = table.sizes.indexOf(size);
  const constant = table.constants[place][0];
  const deviation = table.spread * (size - 1);
  const times = (table.spread / table.errors) ** 2;
  const axes = [table.densities.map(log), table.epsilons.map(log)];
  const ratio = exp(between(table.limits, axes, [log(density), log(epsilon)],
    place * table.densities.length * table.epsilons.length) / 1000);
  const one = unit === "answer" ? ratio * thresholdInformation(epsilon, density) : rowLimit(questions, epsilon, density);
  const limit = (table.smallest * deviation) / sqrt(1 + people * times * one);
  return { way, asked, error, constant, limit, range: [min(...around), max(...around)],
    needed: (wanted) => crowd((m) => best(m).error, wanted, constant) };
}

// The smallest crowd, to within a thousandth; 0 where the constant will do, NaN where the table ends.
function crowd(errorOf, wanted, constant) {
  if (wanted >= constant) return 0;
  let [few, enough] = [1, 1];
  for (let error = errorOf(1); !(error <= wanted); error = errorOf(enough)) {
    if (Number.isNaN(error)) return NaN;
    [few, enough] = [enough, 2 * enough];
  }
  while (enough > few * 1.001 && enough - few > 1) {
    const middle = sqrt(few * enough);
    if (errorOf(middle) <= wanted) enough = middle; else few = middle;
  }
  return ceil(enough);
}

// Mean distance of a share from an even one, where all divisions are equally likely.
const evenly = (size) => (2 * (1 - 1 / size) ** size) / size;

// Mean error of the share of each choice among the answers, by k-ary response with NULL as one more symbol.
function shareError(size, density, budget, reports) {
  const own = 1 / (1 + size * exp(-budget));
  const other = (1 - own) / size;
  const variance = (share) => (share * own * (1 - own) + (1 - share) * other * (1 - other)) / (own - other) ** 2 / reports;
  return sqrt((2 / PI) * (variance(density / size) - variance(1 - density) / size ** 2)) / density;
}

function choice({ size, people, questions, density, unit, epsilon }) {
  const errors = Array.from({ length: unit === "answer" ? 1 : min(questions, 30) },
    (_, k) => shareError(size, density, epsilon / (k + 1), unit === "answer" ? people : (people * (k + 1)) / questions));
  const error = min(...errors);
  return { way: "choices", asked: errors.indexOf(error) + 1, error, constant: evenly(size),
    needed: (wanted) => (wanted >= evenly(size) ? 0 : ceil(people * (error / wanted) ** 2)) };
}

// Reports are on a lattice with steps of a twentieth of the distance; the promise covers the rounding.
export const LATTICE = 20;
function place({ questions, unit, epsilon, radius, distance }) {
  const reports = unit === "answer" ? 1 : questions;
  const error = (2 * reports * distance * (1 + sqrt(2) / LATTICE)) / epsilon;
  return { way: "place", reports, error, constant: (2 * radius) / 3,
    needed: () => NaN, epsilonFor: (wanted) => (epsilon * error) / wanted };
}

function labels({ size, people, questions, unit, epsilon }) {
  const part = unit === "answer" ? epsilon : epsilon / questions;
  const kept = exp(-part / 2);
  const noise = ((2 * kept) / -expm1(-part)) * sqrt(1 - 1 / size); // mean distance of two-sided geometric noise
  return { way: "labels", part, error: noise / people, constant: evenly(size),
    needed: (wanted) => (wanted >= evenly(size) ? 0 : ceil(noise / wanted)) };
}

const KINDS = { rating, choice, place, labels };

// What to use for a setting: the best way, its error, that of the constant, and the limit where one is known.
export function expect(setting, table) {
  const found = KINDS[setting.kind](setting, table);
  const worth = found.error < table.worthIt * found.constant;
  return { limit: NaN, range: null, ...found, worth, people: found.needed(setting.wanted),
    begins: found.needed(table.worthIt * found.constant) };
}
