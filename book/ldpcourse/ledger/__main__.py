"""The claims ledger: claims printed in the sources, recomputed and judged."""

import argparse
import os
import sys
from pathlib import Path

import ldpcourse.ledger
from ldpcourse._console import say
from ldpcourse.ledger import entries, judge, shown
from ldpcourse.ledger.pages import errata_page, ledger_page


def main(arguments: list[str] | None = None) -> None:
    """Print the ledger, or write the pages generated from it.

    Parameters
    ----------
    arguments : list of str, optional
        Command line, without the program's name.

    Raises
    ------
    SystemExit
        If the numbers do not support a verdict, the claims of a part cannot be imported, or a package of a
        claim is missing for ``--write``. Exits with status 2, before anything is computed, if its folder
        cannot be written to.

    Notes
    -----
    Derived in: reference/claims
    """
    parser = argparse.ArgumentParser(prog="python -m ldpcourse.ledger", description=ldpcourse.ledger.__doc__)
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="write claims.md and errata.md")
    options = parser.parse_args(arguments)
    folder = options.write
    if folder and not (folder.is_dir() and os.access(folder, os.W_OK)):
        parser.error(f"--write needs a folder that is there and can be written to, got {folder}")
    findings, skipped = [], []
    try:
        for claim in entries():
            try:
                finding = judge(claim)
            except ImportError as error:
                skipped.append(claim.id)
                say(f"{claim.id:20} skipped: {error}")
                continue
            findings.append(finding)
            mark = "" if finding.consistent else "   <-- NOT BORNE OUT"
            say(
                f"{claim.id:20} printed {claim.printed or '-':>10}"
                f"  computed {shown(finding.decisive.computed):>10} {finding.decisive.comparison}"
                f"   {claim.verdict}{mark}"
            )
    except ImportError as error:  # a module of claims is missing, so its part cannot be judged
        sys.exit(f"the ledger ends here because the next part's claims cannot be imported: {error}")
    say(f"{len(findings)} judged, {len(skipped)} skipped")
    wrong = [f.claim.id for f in findings if not f.consistent]
    if wrong:
        sys.exit(f"verdicts not borne out: {', '.join(wrong)}")
    if folder:
        if skipped:
            sys.exit(f"pages need every claim; packages missing for {', '.join(skipped)}")
        (folder / "claims.md").write_text(ledger_page(findings), encoding="utf-8")
        (folder / "errata.md").write_text(errata_page(findings), encoding="utf-8")


if __name__ == "__main__":
    main()
