"""Zip of a board for publication: report, scores, BIAS checklist and metadata, without any case.

`.zenodo.json` has the fields of `metadata` in Zenodo's deposit API; `CITATION.cff` follows version 1.2.0 of
its format.
"""

import json
from collections.abc import Sequence
from datetime import date

from markupsafe import escape

from scoring.boards.publication import public_report
from scoring.boards.publication.bias_checklist import bias_checklist
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.boards.ranking.final_ranking import frozen
from scoring.boards.submissions.phases_and_limits import DAY
from scoring.common.file_opening import zipped
from scoring.common.findings import InputRefused, error
from scoring.common.text import as_json, shortened
from scoring.version import __version__

LICENCE = "CC-BY-4.0"
"""SPDX id of the default licence."""
KEYWORDS = ("biomedical image analysis", "challenge", "ranking", "benchmark")


def publication(ranking: BoardRanking, creators: Sequence[str] = (), licence: str = LICENCE) -> bytes:
    """Return a zip for publication. The same board and arguments always give the same bytes.

    Args:
        creators: Names of the organizers as "Family, Given". If empty, the creator is "Organizers of" and the
            board's title.
        licence: SPDX id of the licence of the published files.

    Raises:
        InputRefused: With `bad-option` for an empty name or licence.
    """
    names = [shortened(name, 200).strip() for name in creators] or [
        f"Organizers of {ranking.board.row.title}"
    ]
    blank = [("--creator", name) for name in names if not name] + [("--licence", "")] * (not licence.strip())
    if blank:
        raise InputRefused([error("bad-option", flag, "it is empty: write a name.") for flag, _ in blank])
    files = {
        "report.html": public_report.html(ranking),
        "board.json": as_json(public_report.value(ranking)),
        "bias-checklist.md": bias_checklist(ranking, names if creators else ()),
        "CITATION.cff": _citation(ranking, names, licence),
        ".zenodo.json": as_json(_zenodo(ranking, names, licence)),
    }
    files["appendix.html"] = public_report.appendix(ranking)
    return zipped((name, text.encode()) for name, text in files.items() if text)


def _day(ranking: BoardRanking) -> str:
    """Return the day on which the ranking was frozen, else the day of the last submission, else the day on
    which the board was opened."""
    final = frozen(ranking.board.store, ranking.board.row.id)
    if final is not None:
        return final.created[:DAY]
    return max((entry.created for entry in ranking.entries), default=ranking.board.row.created)[:DAY]


def _title(ranking: BoardRanking) -> str:
    """Return a title with at least three characters, as archives require."""
    return f"{ranking.board.row.title}: results"


def _about(ranking: BoardRanking) -> str:
    challenge = ranking.board.challenge
    scored = challenge.formula(ranking.board.row.options["score"])
    return f"Ranking of {challenge.words.title}: {scored}.{challenge.comparison.order}"


def _zenodo(ranking: BoardRanking, creators: Sequence[str], licence: str) -> dict[str, object]:
    """Return the metadata of a deposit in the JSON format of Zenodo."""
    day = date.fromisoformat(_day(ranking)).isoformat()
    return {
        "title": _title(ranking),
        "upload_type": "dataset",
        "description": f"<p>{escape(_about(ranking))}</p><p>Scores and ranks, without cases.</p>",
        "creators": [{"name": name} for name in creators],
        "access_right": "open",
        "license": licence,
        "publication_date": day,
        "version": str(ranking.board.test_set.number),
        "language": "eng",
        "keywords": list(KEYWORDS),
        "notes": f"Scored and ranked with Benchside {__version__}.",
    }


def _citation(ranking: BoardRanking, creators: Sequence[str], licence: str) -> str:
    """Return the content of CITATION.cff. Texts are written as JSON strings, which are valid YAML."""

    def person(name: str) -> str:
        family, comma, given = name.partition(", ")
        if not comma:
            return f"  - name: {json.dumps(name)}"
        return f"  - family-names: {json.dumps(family)}\n    given-names: {json.dumps(given)}"

    lines = [
        "cff-version: 1.2.0",
        'message: "If you use these results, please cite them as below."',
        "type: dataset",
        f"title: {json.dumps(_title(ranking))}",
        f"abstract: {json.dumps(_about(ranking))}",
        "authors:",
        *map(person, creators),
        f"version: {json.dumps(str(ranking.board.test_set.number))}",
        f"date-released: {json.dumps(_day(ranking))}",
        f"license: {json.dumps(licence)}",
        f"keywords: {json.dumps(list(KEYWORDS))}",
        "references:",
        "  - type: software",
        "    title: Benchside",
        f"    version: {json.dumps(__version__)}",
        "    authors:",
        '      - name: "The Benchside maintainers"',
    ]
    return "\n".join(lines) + "\n"
