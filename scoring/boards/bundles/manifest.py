"""Manifest of a board bundle: it is validated before its rows are used."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from itertools import islice, pairwise
from typing import Any

from scoring.boards.ranking import decision_rule
from scoring.boards.row_validation import IMPORTED, RULES, row_problems
from scoring.challenges import is_known, load_challenge, remember
from scoring.common.findings import Finding, error
from scoring.common.text import name_skeleton
from scoring.core import options as of_options
from scoring.core.file_contents import BOARD_FORMAT, BOARD_MANIFEST
from scoring.core.options import Option
from scoring.inputs.archives import has_hidden
from scoring.statistics.interval_options import StatisticsOptions
from scoring.store import schema
from scoring.store.schema import Hidden

ROWS: Mapping[str, type[schema.Base]] = {
    "test_sets": schema.TestSetVersion,
    "teams": schema.Team,
    "submissions": schema.Submission,
    "scorings": schema.ScoredVersion,
    "shown": schema.ShownPart,
    "splits": schema.Split,
    "phases": schema.PhaseRow,
    "refused": schema.RefusedFile,
    "hidden": Hidden,
    "decision_rules": schema.DecisionRule,
    "final_rankings": schema.FinalRanking,
}
"""Lists of the manifest, ordered so that rows come before the rows that refer to them."""
LATER_LISTS = ("phases", "refused", "hidden", "shown", "splits", "decision_rules", "final_rankings")
LATER_COLUMNS = {
    *("keep_refused", "phase", "dated", "metadata_sha256", "facts"),
    *("decimals", "spent", "visibility", "team.excluded", "baseline", "nominated"),
}
"""Lists and columns that are missing in bundles of earlier versions. Missing lists are empty; missing columns
have their default value."""
NAMED = (schema.Board, schema.Team, schema.Submission, schema.PhaseRow, schema.RefusedFile)
"""Tables whose texts are displayed. The texts must not contain control characters or hidden characters."""
RESAMPLES = 100_000
PROBLEMS = 20
"""Maximum number of reported problems of a manifest."""
Row = Mapping[str, Any]


def check_manifest(manifest: Any) -> list[Finding]:
    """Validate a manifest and return at most `PROBLEMS` problems with their location."""
    if not isinstance(manifest, dict) or "format" not in manifest:
        return [_bad("", "it is not the manifest of a board")]
    if manifest["format"] != BOARD_FORMAT:
        message = "another version of Benchside wrote this bundle: install that version."
        return [error("bad-bundle", BOARD_MANIFEST, message)]
    problems = list(islice(_form(manifest), PROBLEMS))
    return problems or list(islice(_relations(manifest), PROBLEMS))


def rows_of(manifest: Row) -> tuple[schema.Board, list[list[Any]]]:
    """Return the board and the lists of rows that a validated manifest contains."""
    return schema.Board(**_columns(schema.Board, manifest["board"])), [
        [table(**_columns(table, entry)) for entry in manifest.get(name, ())] for name, table in ROWS.items()
    ]


def _bad(place: str, problem: str) -> Finding:
    where = f"{BOARD_MANIFEST} › {place}" if place else BOARD_MANIFEST
    return error("bad-bundle", where, f"{problem}: export the board again.")


def _columns(table: type[schema.Base], entry: Row) -> dict[str, Any]:
    """Return the values of a row. Columns that an older bundle lacks get their default."""
    columns = table.__table__.columns
    later = {
        column.name: column.default.arg if column.default else None
        for column in columns
        if {column.name, f"{table.__tablename__}.{column.name}"} & LATER_COLUMNS
    }
    return later | {c.name: entry[c.name] for c in columns if c.name in entry}


def _form(manifest: Row) -> Iterator[Finding]:
    """Yield missing and unknown keys, and each value that is invalid on its own."""
    yield from _unknown("", manifest, {"format", "board", "files", *ROWS})
    yield from _row_form("board", schema.Board, manifest.get("board"))
    for name, table in ROWS.items():
        entries = manifest.get(name, [] if name in LATER_LISTS else None)
        if not isinstance(entries, list):
            yield _bad(name, "it is not a list")
            continue
        for number, entry in enumerate(entries):
            yield from _row_form(f"{name}[{number}]", table, entry)
    files = manifest.get("files")
    if not isinstance(files, dict):
        yield _bad("files", "it is not an object")
        return
    for digest, size in files.items():
        if not RULES["sha256"].holds(digest):
            yield _bad("files", f"{digest[:40]!r} is not {RULES['sha256'].words}")
        if type(size) is not int or size < 0:
            yield _bad(f"files.{digest[:12]}", "its size is not a number of 0 or more")


def _row_form(place: str, table: type[schema.Base], entry: Any) -> Iterator[Finding]:
    if not isinstance(entry, dict):
        yield _bad(place, "it is not an object")
        return
    values = _columns(table, entry)
    yield from _unknown(f"{place}.", entry, table.__table__.columns.keys())
    for name in (column.name for column in table.__table__.columns if column.name not in values):
        yield _bad(f"{place}.{name}", "it is missing")
    for name, problem in row_problems(table, values):
        if name in values:
            yield _bad(f"{place}.{name}", problem)
    for column in table.__table__.columns:
        text, length = values.get(column.name), getattr(column.type, "length", None)
        if isinstance(text, str) and length and len(text) > length:
            yield _bad(f"{place}.{column.name}", f"it has more than {length} characters")
        if isinstance(text, str) and table in NAMED and has_hidden(text):
            yield _bad(f"{place}.{column.name}", "it has control or hidden characters")


def _unknown(place: str, entry: Row, known: Collection[str]) -> Iterator[Finding]:
    """Yield keys that this version does not know. Importing them would lose them silently."""
    for name in sorted(entry.keys() - known):
        yield _bad(f"{place}{name[:40]!a}", "this version of Benchside does not know it")


def _relations(manifest: Row) -> Iterator[Finding]:
    """Yield contradictions between the values of a manifest, each of which is valid on its own."""
    board, lists = manifest["board"], {name: manifest.get(name, []) for name in ROWS}
    for name, table in ROWS.items():
        if any(entry["board_id"] != board["id"] for entry in lists[name]):
            yield _bad(name, "it holds parts of another board")
        yield from _repeated(name, table, lists[name])
    problem = remember(board["options"].get("declaration"))
    if problem:
        yield error("bad-bundle", f"{BOARD_MANIFEST} › board.options.declaration", f"{problem}.")
    elif not is_known(board["challenge"]):
        yield _bad("board.challenge", "this version of Benchside does not know its challenge")
    else:
        yield from _of_options(board, lists["submissions"])
    versions = sorted(test_set["number"] for test_set in lists["test_sets"])
    if board["version"] != len(versions) or versions != [*range(1, len(versions) + 1)]:
        yield _bad("test_sets", f"versions of the test set are missing; board.version is {board['version']}")
    teams = {team["name"] for team in lists["teams"]}
    if any(sent["team"] not in teams for sent in lists["submissions"]):
        yield _bad("teams", "teams are missing")
    names: dict[str, str] = {}
    for name in sorted(teams):
        if (twin := names.setdefault(name_skeleton(name), name)) != name:
            problem = f"the teams {twin!a} and {name!a} look alike: delete the submissions of one team"
            yield _bad("teams", problem)
    results, visible = (
        {(scoring["submission_id"], scoring["number"]) for scoring in lists[name]}
        for name in ("scorings", "shown")
    )
    scored = {
        (scoring["submission_id"], scoring["number"]) for scoring in lists["scorings"] if scoring["card"]
    }
    if visible != (scored if lists["splits"] else set()):
        yield _bad("shown", "results on the shown part are missing, or their split is unknown")
    if {sent["id"] for sent in lists["submissions"]} != {submission for submission, _ in results}:
        yield _bad("scorings", "results are missing, or have no submission")
    if not {number for _, number in results} <= {*versions}:
        yield _bad("scorings", "it has results of unknown versions of the test set")
    yield from _of_results(lists["scorings"])
    phases = {None, *(phase["name"] for phase in lists["phases"])}
    if any(sent.get("phase") not in phases for sent in lists["submissions"]):
        yield _bad("phases", "phases are missing")
    yield from _of_phases(lists["phases"])
    for name, hashed in (("decision_rules", "rule"), ("final_rankings", "ranking")):
        if any(decision_rule.digest(row[hashed]) != row["sha256"] for row in lists[name]):
            yield _bad(name, "a hash does not match its contents")


def _of_results(scorings: list[Row]) -> Iterator[Finding]:
    for number, scoring in enumerate(scorings):
        numbers = [scoring[name] for name in ("score", "low", "high")]
        if (scoring["low"] is None) != (scoring["high"] is None):
            yield _bad(f"scorings[{number}]", "an interval has only one end")
        if scoring["card"] is None and (not scoring["problems"] or numbers != [None] * 3):
            yield _bad(f"scorings[{number}]", "without a scorecard there must be problems and no score")
        if scoring["card"] is not None and scoring["problems"]:
            yield _bad(
                f"scorings[{number}]",
                "it has both a scorecard and problems, but a result has only one of them",
            )


def _of_phases(phases: list[Row]) -> Iterator[Finding]:
    times = sorted((phase["opens"] or "", phase["closes"] or "9999", phase["name"]) for phase in phases)
    if any(opens >= closes for opens, closes, _ in times):
        yield _bad("phases", "a phase closes before it opens")
    for (_, closes, name), (opens, _, other) in pairwise(times):
        if opens < closes:
            yield _bad("phases", f"the phases {name[:40]!a} and {other[:40]!a} overlap")


def _repeated(name: str, table: type[schema.Base], entries: list[Row]) -> Iterator[Finding]:
    """Yield entries that occur twice in a list, although the table of the database holds them only once."""
    unique = ("board_id", "team", "sha256") if table in (schema.Submission, schema.RefusedFile) else ()
    for columns in filter(None, ([column.name for column in table.__table__.primary_key], unique)):
        counts = Counter(tuple(entry[column] for column in columns) for entry in entries)
        if any(count > 1 for count in counts.values()):
            yield _bad(name, f"two entries have the same {' and '.join(columns)}")


def _of_options(board: Row, submissions: list[Row]) -> Iterator[Finding]:
    """Yield the problems of the options of a board and of its submissions."""
    options, challenge = board["options"], load_challenge(board["challenge"])
    if IMPORTED in options:
        yield _bad("board.options", "leaderboards of other platforms cannot be in a bundle")
        return
    statistics = options["statistics"]
    try:
        settings = StatisticsOptions(**statistics)
        numbers = all(type(value) is int for value in (settings.resamples, settings.seed))
        texts = isinstance(settings.interval, str) and isinstance(settings.group, str | None)
        if not numbers or not texts or settings.resamples > RESAMPLES or settings.problems():
            raise ValueError
    except (TypeError, ValueError):
        known = ", ".join(option.name for option in fields(StatisticsOptions))
        yield _bad(
            "board.options.statistics", f"it does not consist of {known}, as `board create` expects them"
        )
    shared = {option.name: option for option in challenge.options}
    own = {name: option for name, option in shared.items() if option.per_team}
    for place, known_options, values in (
        ("board.options.score", shared, options["score"]),
        ("board.options.compare", shared, options["compare"]),
        *((f"submissions[{i}].options", own, sent["options"]) for i, sent in enumerate(submissions)),
    ):
        if not _are_options(known_options, values):
            yield _bad(place, f"these are not options of {challenge.words.title}")


def _are_options(known: Mapping[str, Option], values: Row) -> bool:
    """Return whether all names are options, and all values are allowed for their option."""
    try:
        return values.keys() <= known.keys() and not of_options.check(known.values(), values)
    except (TypeError, ValueError):  # a value of another type
        return False
