// Laplace perturbation of Ann's row: after the fill and the noise, a hole looks like an answer.

import { signed, sum } from "./play-tools.js";

const ROW = [3, null, 9, null];
const DOMAIN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const HOLE = ["NULL", "hole"];

export const sliders = { epsilon: ["epsilon", [0.25, 0.5, 1, 2, 4, 8]] };
export const switches = { filled: "Fill the holes" };

// Laplace noise of scale 1 from a uniform number.
export const noise = (u) => -Math.sign(u - 0.5) * Math.log(1 - 2 * Math.abs(u - 0.5));

export const draw = (state, random) => ({
  fills: ROW.map((cell) => cell ?? DOMAIN[Math.floor(random() * DOMAIN.length)]),
  noise: ROW.map(() => noise(random())),
});

// The least and the largest belief in a hole, from even odds, over the answers it is compared with.
export function beliefs(epsilon, sent) {
  const densities = DOMAIN.map((x) => Math.exp((-Math.abs(sent - x) * epsilon) / DOMAIN.length));
  const ofHole = sum(densities) / DOMAIN.length;
  return [Math.max, Math.min].map((most) => ofHole / (ofHole + most(...densities)));
}

export function parts({ epsilon, filled, fills, noise }) {
  const shown = {};
  ROW.forEach((cell, j) => {
    const hole = cell === null;
    shown[`held${j}`] = hole ? HOLE : `${cell}`;
    if (hole && !filled) {
      Object.assign(shown, { [`filled${j}`]: HOLE, [`noise${j}`]: "", [`sent${j}`]: HOLE, [`belief${j}`]: "1" });
      return;
    }
    const added = (noise[j] * DOMAIN.length) / epsilon;
    const [low, high] = beliefs(epsilon, fills[j] + added);
    shown[`filled${j}`] = [`${fills[j]}`, hole ? "new" : ""];
    shown[`noise${j}`] = (added >= 0 ? "+" : "") + signed(added, 1);
    shown[`sent${j}`] = signed(fills[j] + added, 1);
    shown[`belief${j}`] = filled ? `${low.toFixed(2)} to ${high.toFixed(2)}` : "0";
  });
  const exact = (epsilon * (DOMAIN.length - 1)) / DOMAIN.length;
  const [low, high] = [1, -1].map((side) => (1 / (1 + Math.exp(side * exact))).toFixed(2));
  shown.point = filled
    ? `No output can move Ken’s belief in a hole from 0.5 to below ${low} or above ${high}: the exact epsilon of a cell is ${exact.toFixed(2)}.`
    : "Noise alone hides no hole: Ken finds Ann by her two NULLs.";
  return shown;
}
