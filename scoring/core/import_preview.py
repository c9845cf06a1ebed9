"""Import preview: a guess at the columns of a refused table, and the score with these columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from scoring.common.findings import Finding, InputRefused, warning
from scoring.common.fixes import ANY, InputChanges, SuggestedFix, renaming
from scoring.core import applied_fixes, submitted_part
from scoring.core.file_contents import values_of
from scoring.core.fix_trials import Trials, card_of, is_trying, score_words, scored, table_of
from scoring.core.model_readings import LEAST_CASES, Runs, Search, tells_nothing
from scoring.core.scorecard import ScoreCard
from scoring.inputs import case_ids
from scoring.inputs.case_tables import nothing_in_common
from scoring.inputs.column_guess import ColumnGuess, TableForm, guess, readings_of, rival_of
from scoring.inputs.foreign_table_shapes import shape_problem
from scoring.inputs.number_parsing import scale_of
from scoring.inputs.sources import FixedSource, Source, open_source
from scoring.inputs.tables import TextTable, key

if TYPE_CHECKING:
    from scoring.core.challenge import Challenge

OF_COLUMNS = ("missing-column", "extra-column")
OF_CASES, MISSING_VALUE, SUSPECT = ("no-common-case",), "missing-value", "column-suspect"
OF_SHAPE = (*OF_COLUMNS, *OF_CASES, "duplicate-case")
"""Codes of problems that a table of another shape, such as a transposed one, can cause."""
DOUBTFUL = (
    *("percent", "bytes", "logits", "out-of-range", "scale", "swapped-axes"),
    *("two-column-output", "constant-output", "model-output", "wrong-output", "direction-suspect"),
    "duplicate-case",
)
"""Codes of findings about files that can mean two things. The score of the other meaning is shown too."""
OF_OUTPUTS = {"model-output", "wrong-output"}
"""Codes of refusals of a model whose outputs are not scores."""
MOST_RUN = 300
"""Maximum number of images with which a model is run again for the score of another meaning."""
Read = Callable[[Source], Any]
"""Function that returns predictions."""
BestFirst = Callable[[Sequence[SuggestedFix]], tuple[SuggestedFix, ...]]
ROWS, WIDTH = 5, 60


class WithIds(Protocol):
    """Cases with ids, and the name of their source in messages."""

    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class ImportPreview:
    """A table whose columns differ from the required columns.

    Attributes:
        scale: Scale of the numbers, as `scale_of` returns it.
        marks: Description of the separator between cells and of the decimal mark.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    form: TableForm
    guess: ColumnGuess
    scale: str
    marks: str


def with_columns(
    refused: InputRefused, source: Source, challenge: "Challenge[Any, Any]", truth: Any, name: str
) -> InputRefused:
    """Return a refusal that offers a fix: another shape of the table, or guessed columns if all required
    columns are found. Without such a fix, the refusal is returned unchanged.

    Args:
        truth: The cases; None without a truth.
    """
    if is_trying():
        return refused
    codes = {problem.code for problem in refused.problems}
    form: TableForm = challenge.readers.form(truth) if challenge.readers.form else TableForm("", {})
    read = partial(challenge.read_predictions, truth=truth, name=name)
    trials = Trials(challenge, source, truth, read)
    score = trials.best_first
    if codes == {SUSPECT}:
        scored_fixes = (
            score([applied_fixes.by_written(fix, source) for fix in p.fixes]) for p in refused.problems
        )
        asked = [replace(p, fixes=scored) for p, scored in zip(refused.problems, scored_fixes, strict=True)]
        return InputRefused(asked, refused.findings)
    is_empty = codes in ({MISSING_VALUE}, {submitted_part.NOTHING})
    is_known = codes & {*OF_COLUMNS, *OF_CASES} or is_empty
    table = table_of(source) if is_known and form.columns else None
    if table is None:
        return refused
    edited = dict(source.changes.edits) if isinstance(source, FixedSource) else {}
    score = score if isinstance(source, FixedSource) else replace(trials, table=table).best_first
    ids = truth.ids if truth is not None else ()
    shape = shape_problem(table, form, ids, {MISSING_VALUE} if is_empty else codes)
    if shape is not None and not {edit for fix in shape.fixes for edit, _ in fix.changes.edits} & {*edited}:
        fixes = score(shape.fixes)
        if codes == {MISSING_VALUE}:
            return InputRefused([p.with_fixes(*fixes) for p in refused.problems], refused.findings)
        if is_empty:  # every case has a gap
            _, mark, first = refused.problems[0].message.partition(submitted_part.FIRST)
            told = replace(refused.problems[0], message=f"{shape.message}{mark}{first}", fixes=fixes)
            return InputRefused([told], refused.findings)
        others = [problem for problem in refused.problems if problem.code not in OF_SHAPE]
        return InputRefused([replace(shape, fixes=fixes), *others], refused.findings)
    return _with_guess(refused, table, form, truth, score)


def with_scores(
    outcome: Any, source: Source, challenge: "Challenge[Any, Any]", truth: Any, read: "Read | Runs"
) -> Any:
    """Return the predictions or their refusal. Each alternative of a `DOUBTFUL` finding is shown with the
    score to which it leads.

    Args:
        source: The source that was read, or a model.
        truth: The cases; None without a truth.
        read: Function that reads the source after changes; `Runs` for a model.
    """
    is_refused = isinstance(outcome, InputRefused)
    findings = outcome.problems if is_refused else applied_fixes.findings_of(outcome)
    is_labelled = getattr(truth, "labels", truth) is not None and getattr(truth, "categories", None) != ()
    if is_trying() or not is_labelled or (isinstance(read, Runs) and len(truth) > MOST_RUN):
        return outcome
    doubtful = [finding for finding in findings if finding.code in DOUBTFUL and finding.fixes]
    distinct = {fix.changes: fix for finding in doubtful for fix in finding.fixes}
    again: Read = partial(read, cases=truth) if isinstance(read, Runs) else read
    if isinstance(read, Runs):
        read.expect(len(distinct) * len(truth))
    trials = Trials(challenge, source, truth, again)
    cards = {changes: trials.card(changes) for changes in distinct}
    told = {changes: trials.told(fix, cards[changes]) for changes, fix in distinct.items()}
    same = {c for c, card in cards.items() if not is_refused and trials.is_same(card, outcome)}
    changed = tuple(
        replace(f, fixes=tuple(told[fix.changes] for fix in f.fixes if fix.changes not in same))
        if f.code in DOUBTFUL and f.fixes
        else f
        for f in findings
    )
    if isinstance(read, Runs) and (not is_refused or {finding.code for finding in findings} <= OF_OUTPUTS):
        fixes = _pixel_fixes(tuple(findings), outcome, source, challenge, truth, read, cards)
        changed = _with_pixels(changed, outcome, [fix for fix in fixes if fix.changes not in distinct])
    if is_refused:
        return InputRefused(changed, outcome.findings, outcome.salvaged)
    return applied_fixes.with_findings(outcome, changed)


def _pixel_fixes(
    findings: tuple[Finding, ...],
    outcome: Any,
    source: Source,
    challenge: "Challenge[Any, Any]",
    truth: Any,
    runs: Runs,
    cards: Mapping[InputChanges, ScoreCard | None],
) -> list[SuggestedFix]:
    """Return the pixels by which a model scores far better, where it tells nothing apart or its outputs are
    refused.

    Args:
        cards: Of the fixes of its findings.
    """
    before = source.changes if isinstance(source, FixedSource) else InputChanges()
    if challenge.scoring.quantity().sign < 0:  # "far better" is a step of scores that rise
        return []
    if not LEAST_CASES <= len(truth) <= MOST_RUN or "pixels" in dict(before.edits):
        return []
    is_refused = isinstance(outcome, InputRefused)
    if is_refused and not findings[0].fixes:
        return []
    base = findings[0].fixes[0].changes if is_refused else InputChanges()
    card = cards[base] if is_refused else scored(challenge, truth, outcome)
    if not tells_nothing(card) if card else not is_refused:
        return []

    def card_with(changes: InputChanges, cases: Any) -> ScoreCard | None:
        return card_of(challenge, source, changes, cases, partial(runs, cases=cases))

    better = Search(base, card, truth, card_with, runs.expect).found()
    return [SuggestedFix(f"{c.command()}: {score_words(challenge, score)}", c) for c, score in better]


def _with_pixels(
    findings: tuple[Finding, ...], outcome: Any, fixes: Sequence[SuggestedFix]
) -> tuple[Finding, ...]:
    """Return findings about a model with fixes of its pixels."""
    if not fixes:
        return findings
    if isinstance(outcome, InputRefused):
        return (replace(findings[0], fixes=(*fixes, *findings[0].fixes)), *findings[1:])
    message = (
        "the scores do not separate the classes. With other pixel values they do: does the model expect "
        "other pixel values?"
    )
    return (*findings, warning("pixels-suspect", outcome.name, message).with_fixes(*fixes))


def _with_guess(
    refused: InputRefused, table: TextTable, form: TableForm, truth: WithIds | None, score: BestFirst
) -> InputRefused:
    """Return a refusal with the fixes that read all columns as guessed."""
    first = next((i for i, p in enumerate(refused.problems) if p.code in OF_COLUMNS), None)
    guessed = guess(table, form, truth.ids if truth is not None else None)
    if first is None:
        return _with_other_cases(refused, table, form, guessed, score)
    foreign = _foreign_cases(table, guessed, truth)
    if foreign is not None and not foreign.fixes:
        return InputRefused([*(replace(p, fixes=()) for p in refused.problems), foreign], refused.findings)
    rival = rival_of(table, form, guessed, truth.ids if truth is not None else None)
    if rival:
        problems = [replace(p, fixes=()) if p.code in OF_COLUMNS else p for p in refused.problems]
        problems[first] = replace(problems[first], fixes=score(rival))
        return InputRefused([*problems, *filter(None, [foreign])], refused.findings)
    fixes = readings_of(table, form, guessed)
    if not fixes or not (guessed.any_of or (guessed.is_whole and fixes[0].changes.columns)):
        return refused
    own = refused.problems[first].fixes
    of_columns = sum(problem.code in OF_COLUMNS for problem in refused.problems)
    if own and of_columns == 1 and (len(own) == 1 if guessed.any_of else len(fixes[0].changes.columns) < 2):
        told = [replace(p, fixes=score(own)) if p.fixes == own else p for p in refused.problems]
        return InputRefused(told, refused.findings)  # a fix of one column stands with its problem
    known = {key(name) for name in (form.case, *form.case_names)}
    if key(guessed.case or "") in known and any(map(_has_pattern, refused.problems)):
        return refused  # so does one of what all columns have in common
    problems = list(refused.problems)
    if guessed.any_of:
        problems = [replace(p, fixes=() if p.code in OF_COLUMNS else p.fixes) for p in problems]
    problems[first] = replace(problems[first], fixes=(*score(fixes), *problems[first].fixes))
    return InputRefused([*problems, *filter(None, [foreign])], refused.findings)


def _with_other_cases(
    refused: InputRefused, table: TextTable, form: TableForm, guessed: ColumnGuess, score: BestFirst
) -> InputRefused:
    """Return a refusal of foreign cases with the fix that reads a column whose cases are not."""
    fixes = [f for f in readings_of(table, form, guessed) if (guessed.case, form.case) in f.changes.columns]
    scored = score(fixes) if guessed.is_whole else ()
    problems = [replace(p, fixes=p.fixes or scored * (p.code in OF_CASES)) for p in refused.problems]
    return InputRefused(problems, refused.findings)


def _foreign_cases(table: TextTable, guessed: ColumnGuess, truth: WithIds | None) -> Finding | None:
    """Return that no row is of a case of the truth, which is told before columns are read; None otherwise."""
    if truth is None or guessed.case is None or not len(truth.ids):
        return None
    here = table.cells(table.header.index(guessed.case))
    matches = case_ids.match(here, truth.ids)
    if matches.candidates or (matches.case >= 0).any():
        return None
    return nothing_in_common(table.name, "no row matches a case of", here, truth)


def _has_pattern(problem: Finding) -> bool:
    return any(ANY in old for fix in problem.fixes for old, _ in fix.changes.columns)


def preview(source: Source, form: TableForm, truth: WithIds | None, name: str) -> ImportPreview | None:
    """Return the preview of a refused table; None if the submission contains no readable table.

    Args:
        source: The submission.
    """
    table = table_of(open_source(source, name))
    if table is None:
        return None
    rows = tuple(
        tuple(column[row][:WIDTH] for column in table.columns) for row in range(min(ROWS, len(table)))
    )
    guessed = guess(table, form, truth.ids if truth is not None else None)
    places = [table.header.index(header) for header in guessed.columns.values() if header]
    scale = scale_of(np.column_stack(values_of(table, places))) if places else "other numbers"
    return ImportPreview(table.header, rows, form, guessed, scale, _marks(table))


def _marks(table: TextTable) -> str:
    named = {",": "commas", ";": "semicolons", "\t": "tabs"}[table.delimiter]
    decimal = table.delimiter != "," and any(
        "," in cell for column in table.columns for cell in column[:ROWS]
    )
    between = table.written.other_format or f"{named} between cells"
    return f"{between}, decimal {'commas' if decimal else 'points'}"


def chosen(
    preview: ImportPreview, case: str | None, columns: Mapping[str, str | None]
) -> SuggestedFix | None:
    """Return the fix that reads a table with the chosen columns; None if a required column is not chosen.

    Args:
        columns: Required column -> header.
    """
    guessed = ColumnGuess(case, columns, False)
    named = [header for header in (case, *columns.values()) if header]
    if not guessed.is_whole or len({*named}) < len(named):
        return None
    changes = guessed.changes(preview.header, preview.form)
    return renaming("column", changes.columns) if changes.columns else None


def score_of(
    challenge: "Challenge[Any, Any]", source: Source, changes: InputChanges, truth: Any, name: str
) -> float | None:
    """Return the score of a table with changes; None if it is refused in spite of them.

    Args:
        name: Name of the table in messages.
    """
    read = partial(challenge.read_predictions, truth=truth, name=name)
    card = card_of(challenge, source, changes, truth, read)
    return None if card is None else card.score
