"""The ledger: every entry is computed, every verdict borne out, every page up to date."""

import dataclasses

import pytest
from toc import ROOT

from ldpbook import claims
from ldpbook.claims import CLAIMS, Claim, Verdict, judge


@pytest.fixture(scope="module")
def findings():
    """Judged claims by id, each computed once."""
    return {}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict_is_borne_out(claim, findings, load):
    if claim.needs:
        load(claim.needs)
    finding = findings[claim.id] = judge(claim)
    assert finding.consistent, f"computed {finding.computed}, printed {claim.printed}: not {claim.verdict}"
    assert "{" not in finding.text


def test_pages_are_up_to_date(findings):
    missing = [claim.id for claim in CLAIMS if claim.id not in findings]
    if missing:
        pytest.skip(f"not computed in this run: {', '.join(missing)}")
    judged = [findings[claim.id] for claim in CLAIMS]
    reference = ROOT / "book" / "reference"
    assert (reference / "claims.md").read_text(encoding="utf-8") == claims.ledger_page(judged)
    assert (reference / "errata.md").read_text(encoding="utf-8") == claims.errata_page(judged)


def test_ids_are_unique_and_chapters_exist():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert (ROOT / "book" / f"{claim.chapter}.ipynb").exists(), claim.chapter


def entry(printed: float, relation: str, computed: float, verdict: Verdict) -> Claim:
    return Claim("x", "s", "p", "st", printed, relation, lambda: computed, 0.1, verdict, "{computed}", "c")


@pytest.mark.parametrize(
    ("relation", "computed", "holds"),
    [
        ("=", 1.05, True),
        ("=", 0.95, True),
        ("=", 1.2, False),
        ("=", 0.8, False),
        ("<=", 1.05, True),
        ("<=", -9, True),
        ("<=", 1.2, False),
        (">=", 0.95, True),
        (">=", 9, True),
        (">=", 0.8, False),
    ],
)
def test_judging(relation, computed, holds):
    wanted = {
        Verdict.REPRODUCED: holds,
        Verdict.READING: holds,
        Verdict.CORRECTED: not holds,
        Verdict.REFUTED: not holds,
        Verdict.UNDECIDED: True,
    }
    for verdict, consistent in wanted.items():
        finding = judge(entry(1.0, relation, computed, verdict))
        assert (finding.holds, finding.consistent) == (holds, consistent)


def test_a_computation_that_fails_bears_nothing_out():
    for verdict in Verdict:
        assert not judge(entry(1.0, "=", float("nan"), verdict)).consistent


def test_command_prints_and_refuses_false_verdicts(monkeypatch, capsys, tmp_path):
    true = dataclasses.replace(claims.get("mf-example"))
    monkeypatch.setattr(claims, "CLAIMS", (true,))
    claims.main(["--write", str(tmp_path)])
    assert "mf-example" in capsys.readouterr().out
    assert "claim-mf-example" in (tmp_path / "claims.md").read_text(encoding="utf-8")
    monkeypatch.setattr(claims, "CLAIMS", (dataclasses.replace(true, printed=1.7),))
    with pytest.raises(SystemExit, match="not borne out: mf-example"):
        claims.main([])


def test_command_names_what_it_skips(monkeypatch, capsys, tmp_path):
    def missing():
        raise FileNotFoundError("nowhere")

    monkeypatch.setattr(claims, "CLAIMS", (dataclasses.replace(claims.get("mf-example"), compute=missing),))
    claims.main([])
    assert "skipped: nowhere" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="data missing for mf-example"):
        claims.main(["--write", str(tmp_path)])


def test_unknown_claim():
    with pytest.raises(ValueError, match=r"^claim_id "):
        claims.get("no-such")
