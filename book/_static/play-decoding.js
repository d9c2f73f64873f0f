// Decoding reports of randomized response: the histogram is biased, and inversion corrects it.

import { signed, sum } from "./play-tools.js";

const SHARES = [0.02, 0.05, 0.08, 0.15, 0.2, 0.5]; // of the answers 0 to 4, and of NULL
const SIZE = SHARES.length - 1;
const WIDEST = 0.6; // the share that fills a bar

export const sliders = {
  epsilon: ["epsilon", [0.5, 1, 2, 3, 4]],
  workers: ["workers", [1000, 2000, 5000, 10000, 20000, 50000]],
};
export const follows = true; // what is drawn depends on the sliders

// Probability of each other symbol, and how much more the true one has.
const chances = (epsilon) => [1 / (SIZE + Math.exp(epsilon)), Math.expm1(epsilon) / (SIZE + Math.exp(epsilon))];
const mean = (shares) => sum(shares.slice(0, SIZE).map((share, y) => y * share)) / sum(shares.slice(0, SIZE));

export function draw({ epsilon, workers }, random) {
  const [other, kept] = chances(epsilon);
  const counts = SHARES.map(() => 0);
  for (let k = 0; k < workers; k += 1) {
    let left = random();
    let y = 0;
    while (y < SIZE && (left -= other + kept * SHARES[y]) >= 0) y += 1;
    counts[y] += 1;
  }
  return { counts };
}

export function parts({ epsilon, workers, counts }) {
  const [other, kept] = chances(epsilon);
  const reported = counts.map((count) => count / workers);
  const decoded = reported.map((share) => (share - other) / kept);
  const shown = {};
  SHARES.forEach((share, y) => {
    const error = Math.sqrt((reported[y] * (1 - reported[y])) / workers) / kept;
    shown[`held${y}`] = share.toFixed(2);
    shown[`heldbar${y}`] = share / WIDEST;
    shown[`seen${y}`] = reported[y].toFixed(3);
    shown[`seenbar${y}`] = Math.min(1, reported[y] / WIDEST);
    shown[`found${y}`] = `${signed(decoded[y], 3)} ± ${error.toFixed(3)}`;
    shown[`foundbar${y}`] = Math.min(1, Math.max(0, decoded[y] / WIDEST));
  });
  const found = mean(decoded);
  const density = sum(decoded.slice(0, SIZE));
  const weights = decoded.map((_, y) => (y < SIZE ? (y - found) / density : 0));
  const moment = (power) => sum(weights.map((weight, y) => weight ** power * reported[y]));
  const error = Math.sqrt((moment(2) - moment(1) ** 2) / workers) / kept;
  shown.heldmean = mean(SHARES).toFixed(2);
  shown.seenmean = mean(reported).toFixed(2);
  shown.foundmean = `${signed(found, 2)} ± ${error.toFixed(2)}`;
  const answered = (1 - SHARES[SIZE]) * Math.expm1(epsilon);
  shown.point = `In the average of the reports, ${(answered / (answered + SIZE)).toFixed(2)} of the distance from the middle, 2, is left, however many workers there are. The decoded shares are unbiased, and their errors fall with that number.`;
  return shown;
}
