// The Python that the chooser shows: a few lines to run on one's own answers.

import { LATTICE } from "./chooser-errors.js";

const shown = (number) => String(Number(number.toPrecision(6)));

function rating({ size, people, questions, density, unit, epsilon }, { worth }, { errors, spread }) {
  const length = size - 1;
  const plan = `import numpy as np
from ldpbook.guide import recommend
from ldpbook.remedies import AnswerLaw

law = AnswerLaw(range(1, ${size + 1}), sigmas=(${shown(errors * length)},), shares=(1.0,), density=${shown(density)})
plan = recommend(law, n_workers=${people}, n_tasks=${questions}, epsilon=${epsilon}, unit="${unit === "answer" ? "cell" : "worker"}",
                 prior_mean=${shown((size + 1) / 2)}, prior_deviation=${shown(spread * length)})
print(plan)`;
  return worth ? `${plan}

heard, ends = None, np.cumsum(plan.phases[:-1]) * len(answers)
for rows in np.split(answers, ends.astype(int)):  # one row per person, nan = no answer
    thresholds = plan.ask(heard)
    reports = plan.release(rows, thresholds)  # on each person's device
    heard = plan.add(heard, reports, thresholds)
print(plan.estimate(heard))` : plan;
}

function choice({ size, questions, unit, epsilon }, { asked }) {
  const budget = shown(unit === "answer" ? epsilon : epsilon / asked);
  const start = `import numpy as np
from ldpbook.categorical_answers import OneLayerFlip, k_ary_response

flip = OneLayerFlip(epsilon=${budget}, choices=${size}, null_is_symbol=True)
oracle = k_ary_response(${size + 1}, ${budget})  # the choices, and no answer
`;
  if (unit === "answer") {
    return `${start}reports = flip.perturb(answers)  # on each device; one row per person, nan = no answer
said = np.array([(reports == c).sum(axis=0) for c in range(${size})])
shares = np.clip(oracle.estimate(said, len(reports)), 0, None)  # few reports may decode to less than 0
print(shares / shares.sum(axis=0))`;
  }
  return `${start}asked = np.array([np.random.default_rng().choice(${questions}, ${asked}, replace=False) for _ in answers])
reports = flip.perturb(np.take_along_axis(answers, asked, axis=1))  # on each device
for question in range(${questions}):
    heard = reports[asked == question]
    said = [(heard == c).sum() for c in range(${size})]
    shares = np.clip(oracle.estimate(said, len(heard)), 0, None)
    print(shares / shares.sum())`;
}

function place({ epsilon, distance }, { reports }) {
  return `from ldpbook.localization import LatticeLaplace

step = ${shown(distance / LATTICE)}  # metres
noise = LatticeLaplace(epsilon=${epsilon} / ${reports} / (${distance} + 2**0.5 * step), step=step)
reports = noise.perturb(places)  # on each device; two columns, metres
print(reports, noise.epsilon_of(distance=${distance}))`;
}

function labels(_, { part }) {
  return `from ldpbook.class_ratios import GeometricCounts

noise = GeometricCounts(epsilon=${shown(part)})
for counts in groups:  # one row per group, one column per class
    print(noise.perturb(counts))`;
}

const KINDS = { rating, choice, place, labels };
export const python = (setting, found, table) => KINDS[setting.kind](setting, found, table);
