"""Claims judged in the chapters of the part: numbers that a package prints of a survey with a real device."""

import math
from functools import partial

from ldpbook.practice.instructions import AskedSample, fit_shares
from ldpcourse.ledger.claim import Claim, Reading, Verdict


def _minarets(quantity: str) -> float:
    """Share in favour, its error, or the honest share of these, by the model in which Ann's group lies."""
    first = AskedSample(p=1.0, q=10 / 12, yes=373, n=564)
    second = AskedSample(p=1.0, q=2 / 12, yes=398, n=692)
    honest, share = fit_shares([first, second], others="no").bounds
    variances = [each.rate * (1 - each.rate) / (each.n - 1) for each in (first, second)]
    error = math.sqrt(sum(variances)) / (8 / 12)
    return {"share": share, "error": error, "honest": honest / share}[quantity]


def _direct(quantity: str) -> float:
    asked = AskedSample(p=1.0, q=0.0, yes=158, n=365)
    found = fit_shares([asked], others="nobody")
    return {"share": found.carriers, "error": found.errors[1]}[quantity]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="minarets-detector",
        source="heck2018rrreg",
        place="Section 4.1",
        printed="0.870695",
        statement=(
            "By the stochastic lie detector, a share of 0.870695 of the people asked in Germany, with a"
            " standard error of 0.041118, is in favour of prohibiting minarets, and a share of 0.635806 of"
            " these answer honestly."
        ),
        readings=(
            Reading(
                words=(
                    "As the model says, all people who do not follow the instructions are in favour and say"
                    " no, and all others follow. With a yes from 373 of 564 and 398 of 692, we compute the"
                    " share in favour."
                ),
                compute=partial(_minarets, "share"),
                relation="=",
                target=0.870695,
                tolerance=5e-7,
            ),
            Reading(
                words=(
                    "In that model, we compute the standard error of the share, with the variances divided by"
                    " n - 1."
                ),
                compute=partial(_minarets, "error"),
                relation="=",
                target=0.041118,
                tolerance=5e-7,
            ),
            Reading(
                words="In that model, we compute the share of honest answers among people in favour.",
                compute=partial(_minarets, "honest"),
                relation="=",
                target=0.635806,
                tolerance=5e-7,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding=(
            "From the counts the share is {computed}, and the other two numbers agree in all printed digits."
            " The model has as many unknowns as the data have rates, so nothing in the data tests it."
        ),
        chapter="practice/instructions",
    ),
    Claim(
        id="minarets-direct",
        source="heck2018rrreg",
        place="Section 4.1",
        printed="0.43",
        statement=(
            "Asked directly, a share of 0.43 with a standard error of 0.03 is in favour of prohibiting"
            " minarets."
        ),
        readings=(
            Reading(
                words="We compute the share of 158 yes among 365 people.",
                compute=partial(_direct, "share"),
                relation="=",
                target=0.43,
                tolerance=0.005,
            ),
            Reading(
                words="We compute the standard error of that share.",
                compute=partial(_direct, "error"),
                relation="=",
                target=0.03,
                tolerance=0.005,
            ),
        ),
        verdict=Verdict.REPRODUCED,
        finding="The share is {computed}, and its standard error rounds to the printed one.",
        chapter="practice/instructions",
    ),
)
