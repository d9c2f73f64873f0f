"""Claims judged in the chapter class-ratios/proportions."""

from ldpcourse.ledger.claim import Claim, Verdict, tried
from ldpcourse.ledger.class_ratios._shared import IYER, errors_under_shift


def _ends_less_middle(data: str) -> float:
    """The proportion SVM's smaller error at shares 0.1 and 0.9 minus that at 0.5."""
    first, middle, last = errors_under_shift().loc[data, ["pSVM 0.1", "pSVM 0.5", "pSVM 0.9"]].to_numpy()
    return float(min(first, last) - middle)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="psvm-shift",
        source=IYER,
        place="Section 4.2",
        statement=(
            "The proportion SVM's counts are accurate only in the range of proportions where the distribution"
            " of the classes is that of the training sets."
        ),
        readings=(
            *tried(
                _ends_less_middle,
                ">=",
                0.0,
                (
                    "On voters, the proportion SVM learns from two sets with share 0.1 and two with share 0.9"
                    " of 600 each, with the kernel's bandwidth chosen on held-out sets and one start. We"
                    " compute the smaller of the mean L1 errors at shares 0.1 and 0.9 minus that at 0.5, the"
                    " mean of the training shares, over 20 draws.",
                    "votes",
                ),
                ("On earnings, we compute the same with the same protocol.", "earnings"),
                (
                    (
                        "On e-mails, of which spam is a class, we compute the same with the same protocol,"
                        " sets of 250 and 100 draws."
                    ),
                    "spam",
                ),
            ),
        ),
        verdict=Verdict.READING,
        finding=(
            "On voters the error away from the mean of the training shares is larger by {computed}, and on"
            " earnings it is larger too. On e-mails the counts are best at 0.7, and 100 draws do not"
            " distinguish 0.9 from 0.5. Which share is counted right depends on both rates of the classifier;"
            " it is that mean only where the classifier's errors balance there. The counting is what depends"
            " on the proportions: two further sets with known proportions repair the counts of the same"
            " classifier, as they do for any."
        ),
        chapter="class-ratios/proportions",
    ),
)
