"""Paths through the book, week by week: what to read and to skip, what to do, and how long it takes."""

from collections.abc import Iterator
from dataclasses import dataclass

from ldpcourse.problems import WEEKS
from ldpcourse.teaching.reading import Section, sections

EXERCISE, PROBLEM = 30, 45  # minutes


@dataclass(frozen=True)
class Portion:
    """Core sections of a chapter, with the deeper ones in ``too`` and without the core ones in ``without``.

    ``instead`` is what the lecturer says where the path lacks a prerequisite of the chapter, or skips the
    section that defines a term.
    """

    chapter: str
    too: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    instead: str = ""

    def parts(self) -> tuple[list[Section], list[Section]]:
        """Sections to read, and sections to skip."""
        found = sections(self.chapter)
        if unknown := {*self.too, *self.without} - {*found}:
            raise ValueError(f"{self.chapter} has no sections {sorted(unknown)}")
        both = [section for section in found.values() if not section.practice]
        core = {section.heading for section in both if section.core}
        kept = (core - {*self.without}) | {*self.too}
        to_read = [section for section in both if section.heading in kept]
        return to_read, [section for section in both if section.heading not in kept]

    @property
    def minutes(self) -> int:
        return round(sum(section.minutes for section in self.parts()[0]))


@dataclass(frozen=True)
class Week:
    read: tuple[Portion, ...]
    in_class: str
    practice: tuple[str, ...]
    hand_in: tuple[str, ...]
    laboratory: str = ""
    other: int = 0  # minutes for the midterm or the project

    @property
    def reading(self) -> int:
        """Minutes of reading."""
        return sum(reading.minutes for reading in self.read)

    @property
    def own_work(self) -> int:
        """Minutes of reading and practice."""
        return self.reading + EXERCISE * len(self.practice)

    @property
    def minutes(self) -> int:
        """All minutes outside class."""
        return self.own_work + PROBLEM * len(self.hand_in) + self.other


@dataclass(frozen=True)
class Path:
    weeks: tuple[Week, ...]
    after: tuple[Week, ...] = ()  # the weeks before the first one

    def numbered(self) -> Iterator[tuple[int, Week]]:
        return enumerate(self.weeks, len(self.after) + 1)


def _week(number: int, in_class: str, practice: str, *read: str | Portion, other: int = 0) -> Week:
    """A week of the long course, whose problems the bank lists."""
    readings = tuple(Portion(each) if isinstance(each, str) else each for each in read)
    return Week(readings, in_class, tuple(practice.split()), WEEKS[number], other=other)


_SIX = (
    Week(
        (
            Portion("foundations/crowdsourcing"),
            Portion("foundations/local-privacy"),
            Portion("foundations/randomness"),
        ),
        "[Everyone tosses two coins](/book/teaching/activities.md#1-coins-under-the-table) and answers "
        "Warner's question; the class estimates its own share.",
        ("ex-crowd-forget", "ex-privacy-variance"),
        ("fingerprint", "belief"),
        "Find a student by her lecturers; audit a device, break it, and audit it again.",
    ),
    Week(
        (Portion("foundations/truth-inference"), Portion("sparse-answers/laplace")),
        "One worker takes over the weights; where Sun's Theorem 2 fails, and where it holds.",
        ("ex-truth-ratio", "ex-lp-waste"),
        ("round", "laplace"),
        "Plot the printed bound beside a simulation, for a crowd of your own.",
    ),
    Week(
        (Portion("sparse-answers/randomized-response"), Portion("whole-worker/row-attack")),
        "3.551 and its readings; how Ken finds "
        "[a report that has no name](/book/teaching/activities.md#7-the-row-in-the-hat).",
        ("ex-rr-invert", "ex-row-fixed"),
        ("keep", "relink"),
        "Search the perturbed lecture ratings for one student, at several values of epsilon.",
    ),
    Week(
        (
            Portion(
                "remedies/decoding",
                without=(
                    "What Laplace perturbation does not reveal",
                    "Shrinkage",
                    "An estimate of what?",
                    "The gain from decoding",
                    "The limits of shrinkage",
                ),
                instead="In a contest on a sparse synthetic crowd at epsilon 1, the averages of perturbed "
                "answers come out about as wrong as a constant that asks no one.",
            ),
            Portion(
                "remedies/smaller-question",
                without=("Decoding the counts", "Comparison with other methods", "Rounding at random"),
                instead="The decoder assumes two kinds of workers, both with normal errors, and a normal "
                "prior for the truths, which it learns from the same reports. A stated error is the standard "
                "deviation of what it then believes about a truth. The best peer is the best of the "
                "published estimators that were run with NULL protected. A report's Fisher information "
                r"is the mean square of $\frac{d}{d\mu}\ln\Pr$, the relative change of its probability "
                "with the truth.",
            ),
        ),
        "What an average keeps, with pencil and paper; a threshold survey "
        "[by show of hands](/book/teaching/activities.md#6-asleep-by-a-show-of-hands).",
        ("ex-dec-kept", "ex-small-link"),
        ("invert", "threshold"),
        "Decode the class's own reports; then move the threshold away from the truth.",
    ),
    Week(
        (
            Portion(
                "categorical-answers/voting",
                without=("Crowds that are not public", "What truth discovery gains"),
            ),
            Portion("categorical-answers/one-layer"),
            Portion("categorical-answers/two-layer"),
        ),
        "How private a flip is; whether one worker's answers reveal how often she flips.",
        ("ex-one-layer-twice", "ex-two-layer-fresh"),
        ("flip", "layers"),
        "Flip the bluebird labels, and let three rules vote on them.",
    ),
    Week(
        (
            Portion(
                "categorical-answers/price-of-reuse",
                without=("At the same epsilon per cell", "At the same epsilon per worker"),
            ),
            Portion(
                "whole-worker/again-and-again",
                without=("A change of mind", "Linked reports", "The epsilon of a year"),
                instead="Delta is the probability mass by which a promise may fail: a probability may exceed "
                "what epsilon allows by at most delta. Read the column *with delta* here, and the delta in "
                "the budget of the survey, as in {doc}`/book/whole-worker/composition`.",
            ),
            Portion("practice/survey"),
        ),
        "0.847 becomes 4.234 for a cell "
        "([one secret or four](/book/teaching/activities.md#3-one-secret-or-four)); "
        "*Be the worker*, [on phones](/book/teaching/activities.md#8-what-would-have-left-your-phone).",
        ("ex-survey-null",),
        ("reuse", "deny"),
        "Plan a survey on a question of your own, with the chooser on the first page.",
    ),
)

_TWELVE = (
    _week(
        1,
        "Empty cells identify people; one worker takes over.",
        "ex-crowd-clipping ex-crowd-forget ex-truth-ratio ex-truth-takeover ex-truth-equal",
        "foundations/crowdsourcing",
        "foundations/truth-inference",
    ),
    _week(
        2,
        "An audit that catches a broken mechanism; the floating-point attack.",
        "ex-privacy-variance ex-privacy-best ex-random-draws",
        "foundations/local-privacy",
        "foundations/randomness",
    ),
    _week(
        3,
        "Where Sun's Theorem 2 fails, and where it holds; 3.551 and its readings.",
        "ex-lp-fill ex-lp-debias ex-rr-invert",
        "sparse-answers/laplace",
        "sparse-answers/randomized-response",
    ),
    _week(
        4,
        "The loss of 99 at one output; constants, shuffles, and what survives them, on a crowd of your own.",
        "ex-mf-single ex-mf-distance",
        "sparse-answers/matrix-factorization",
        "sparse-answers/task-profiles",
        "sparse-answers/comparison",
    ),
    _week(
        5,
        "Truth discovery on bluebirds; how private a flip is.",
        "ex-one-layer-twice",
        "sparse-answers/real-data",
        "categorical-answers/voting",
        "categorical-answers/one-layer",
    ),
    _week(
        6,
        "0.847 becomes 4.234 for a cell; the epsilon of the whole worker.",
        "ex-two-layer-fresh ex-two-layer-law ex-two-layer-whole ex-two-layer-worker ex-two-layer-limit",
        "categorical-answers/two-layer",
        "categorical-answers/price-of-reuse",
    ),
    _week(
        7,
        "The midterm, an hour; then a counterexample, computed exactly.",
        "ex-bounds-exponent ex-trade-favourite",
        "categorical-answers/error-bounds",
        "categorical-answers/trade-off",
        other=75,
    ),
    _week(
        8,
        "Two circles and a cloud; adding ciphertexts.",
        "ex-particles-systematic ex-encrypted-subtract",
        "localization/particles",
        "localization/encrypted-inference",
        other=60,
    ),
    _week(
        9,
        "Why nothing that a server combines linearly in log-weights is sum-product; zCDP against the exact "
        "curve.",
        "ex-forgotten-leak ex-perturbed-variation",
        "localization/forgotten-weights",
        "localization/perturbed-particles",
        other=60,
    ),
    _week(
        10,
        "No unbiased distance; counting fails under shift.",
        "ex-distances-negative",
        "localization/noisy-distances",
        "localization/experiment",
        "class-ratios/proportions",
        other=60,
    ),
    _week(
        11,
        "Matching one mean; a bound and the error itself.",
        "ex-mean-features ex-bound-bias",
        Portion("class-ratios/mean-embeddings", too=("Kernels with independent embeddings",)),
        "class-ratios/learning-bound",
        other=60,
    ),
    _week(
        12,
        "Splitting a set; two deltas; which error dominates.",
        "ex-dirichlet-small",
        "class-ratios/few-large-sets",
        "class-ratios/label-privacy",
        "class-ratios/fair-comparison",
        "class-ratios/private-estimation",
    ),
)

_TEN_MORE = (
    _week(
        13,
        "What an average keeps; a threshold at the truth.",
        "ex-dec-kept ex-dec-bit ex-small-link",
        "remedies/decoding",
        "remedies/smaller-question",
    ),
    _week(
        14,
        "A certificate; a report that must not be used to judge its own sender.",
        "ex-best-merge ex-best-workers ex-careful-odds ex-careful-own",
        "remedies/best-mechanism",
        "remedies/who-is-careful",
    ),
    _week(
        15,
        "Which oracle to use where; a hundred particles or one report.",
        "ex-known-odds ex-place-far ex-place-mean",
        "remedies/known-channel",
        "remedies/location-noise",
    ),
    _week(
        16,
        "A shift that no test sees; a predicted error.",
        "ex-ratio-error ex-ratio-twice ex-guide-mean ex-guide-needed",
        "remedies/honest-ratios",
        "remedies/guide",
    ),
    _week(
        17,
        "Finding a worker's report from all her known answers; two layers against one, for a worker.",
        "ex-row-fixed ex-row-two ex-account-crossing",
        "whole-worker/row-attack",
        "whole-worker/worker-epsilon",
    ),
    _week(
        18,
        "What a delta of one in a million buys; one question or a mixture.",
        "ex-comp-mean ex-ask-split ex-ask-sway",
        "whole-worker/composition",
        "whole-worker/sampling-questions",
    ),
    _week(
        19,
        "Whom to trust with what; a liar's weight.",
        "ex-shuffle-two ex-lie-down",
        "whole-worker/shuffling",
        "whole-worker/manipulation",
        Portion("whole-worker/again-and-again", without=("A change of mind",)),
    ),
    _week(
        20,
        "A report that only one answer can have led to; a bug, and which audit finds it with how many draws.",
        "ex-float-reach ex-float-words ex-audit-ceiling",
        "practice/floating-point",
        "practice/audit",
    ),
    _week(
        21,
        "A worker process of the cluster is killed while it counts; everyone answers, and looks at what left "
        "the phone.",
        "ex-scale-bits ex-scale-twice ex-survey-null ex-survey-workers",
        "practice/scale",
        "practice/survey",
    ),
    _week(
        22,
        "Two classes with the same truth answer with two dice, and a third of them are asked to disobey; a "
        "survey that is watched until it surprises.",
        "ex-instr-line ex-instr-denial ex-regr-worth ex-regr-epsilon",
        "practice/instructions",
        "practice/regression",
    ),
)

PATHS: dict[str, Path] = {
    "six weeks": Path(_SIX),
    "twelve weeks": Path(_TWELVE),
    "ten more weeks": Path(_TEN_MORE, after=_TWELVE),
}
