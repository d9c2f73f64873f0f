"""Right and wrong answers to the exercises of the part remedies."""

import math

C = math.pi / (2 * math.e)

RIGHT = {
    "ex-best-merge": [
        lambda density: math.log((2 - density) / (1 - density)),
        lambda density: math.log(2 - density) - math.log(1 - density),
    ],
    "ex-best-normal": [
        lambda sigma, density: (density / sigma) ** 2 / (2 * math.pi),
        lambda sigma, density: (2 * density / (sigma * math.sqrt(2 * math.pi))) ** 2 / 4,
    ],
    "ex-best-workers": [
        lambda error, deviation, information: (C / error**2 - deviation**-2) / information,
        lambda e, d, i: C / (e**2 * i) - 1 / (d**2 * i),
    ],
}

WRONG = {
    "ex-best-merge": [
        (lambda density: math.log(2), "rarer"),  # the limit of no answers
        (lambda density: 1 + 1 / (1 - density), "differs"),  # e^epsilon, not epsilon
        (lambda density: math.log(1 / (1 - density)), "differs"),
        (lambda density: math.log(1 + 1 / density), "rarer"),  # density of NULL for that of answers
        (
            lambda d: {0.1: math.log(19 / 9), 0.5: math.log(3), 0.9: math.log(11)}.get(round(d, 9), 1.0),
            "not at other",
        ),
    ],
    "ex-best-normal": [
        (lambda sigma, density: density / (2 * math.pi * sigma**2), "differs"),  # not squared
        (lambda sigma, density: density**2 / sigma**2, "differs"),  # without privacy's constant
        (lambda sigma, density: 2 * density**2 / (math.pi * sigma**2), "differs"),  # no quarter
        (lambda sigma, density: density / (sigma * math.sqrt(2 * math.pi)), "quarter"),  # the root of it
    ],
    "ex-best-workers": [
        (lambda e, d, i: C / e**2 / i, "prior"),
        (lambda e, d, i: (2 / math.pi / e**2 - 1 / d**2) / i, "differs"),  # van Trees
        (lambda e, d, i: (math.sqrt(C) / e - 1 / d) / i, "differs"),
        (lambda e, d, i: math.ceil((C / e**2 - 1 / d**2) / i), "half the workers"),
        (lambda e, d, i: (C / e**2 - 1 / d) / i, "differs"),
    ],
}
