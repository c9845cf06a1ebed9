"""Board: create, open, list and change boards, and score submissions to them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import select

from scoring.access.roles import Role
from scoring.boards.ranking.decision_rule import note_change
from scoring.boards.row_validation import (
    BOARD_ID,
    COUNTS,
    DRAFT,
    IMPORTED,
    VISIBILITIES,
    damaged,
    require_readable,
)
from scoring.boards.serialization import VersionResult, packed
from scoring.challenges import is_known, kept_declaration, load_challenge, remember
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.core import options as of_options
from scoring.core.challenge import Challenge
from scoring.core.submitted_part import of_cases
from scoring.inputs.case_tables import joined_columns
from scoring.inputs.sources import Source, sha256
from scoring.inputs.team_entries import MODEL
from scoring.statistics.interval_options import StatisticsOptions
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import pin_files

USUAL = asdict(StatisticsOptions())
"""Default number of replicates, seed, unit and kind of interval."""


@dataclass(frozen=True)
class BoardSettings:
    """Settings for scoring on a board.

    Attributes:
        counts: Which submission of a team is ranked: "last" or "best".
        score: The challenge's options of `score`, which are the same for all submissions.
        compare: The challenge's options of the stage "compare".
        statistics: `resamples`, `seed`, `group` and `interval`.
        keep_refused: Whether refused files are stored. They are never ranked and do not count toward limits.
        metadata: A table that is joined to the truth by case id, with columns for subgroups and units.
    """

    title: str
    counts: str = "last"
    score: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, Any] = field(default_factory=dict)
    statistics: Mapping[str, Any] = field(default_factory=dict)
    keep_refused: bool = False
    metadata: Source | None = None


@dataclass(frozen=True)
class OpenBoard:
    """A board together with one version of its test set."""

    store: Store
    row: schema.Board
    test_set: schema.TestSetVersion

    @property
    def challenge(self) -> Challenge[Any, Any]:
        """Return the challenge of the board, which the process may have forgotten since."""
        if not is_known(self.row.challenge):
            _require_declaration(self.row)
        return load_challenge(self.row.challenge)

    @cached_property
    def truth(self) -> Any:
        """Return the ground truth of the test set. Raises InputRefused if the store does not contain it."""
        score = self.row.options["score"]
        if self.imported and not self.store.files.holds(self.test_set.sha256):
            message = (
                "this board was imported without its test set, so it can be shown but cannot score "
                "submissions."
            )
            raise InputRefused([error("imported-board", self.row.id, message)])
        data, challenge = self.store.files.read(self.test_set.sha256), self.challenge
        return challenge.read_truth(data, name=self.test_set.name, **challenge.needed("truth", score))

    @cached_property
    def imported(self) -> str:
        """Return a sentence that says that the board was imported from a bundle; "" if it was not."""
        with self.store.read() as session:
            row = session.get(schema.ImportedBundle, self.row.id)
        text = "scores and times come from the imported file"
        return "" if row is None else f"imported on {row.created[:10]}: {text}"

    @cached_property
    def metadata(self) -> bytes | None:
        """Return the table of case metadata that is joined to the truth; None if the board has none. Raises
        InputRefused if the store lacks this table."""
        digest = self.test_set.metadata_sha256
        return None if digest is None else self.store.files.read(digest)

    @cached_property
    def split(self) -> schema.Split | None:
        """Return the split into a shown and a withheld part; None if the test set is not split."""
        with self.store.read() as session:
            row = session.get(schema.Split, self.row.id)
        require_readable(self.row.id, [row] if row else ())
        return row

    @cached_property
    def parts(self) -> tuple[Any, Any] | None:
        """Return the case indices of the withheld part and of the shown part; None if the test set is not
        split."""
        if self.split is None:
            return None
        is_shown = np.isin(np.array(self.truth.ids, str), self.split.cases)
        return np.flatnonzero(~is_shown), np.flatnonzero(is_shown)

    @property
    def n_told(self) -> int:
        """Return the number of cases from which the scores are computed that participants see before the end
        of the board."""
        return len(self.truth) if self.parts is None else len(self.parts[1])

    def result(self, data: bytes, name: str, own: Mapping[str, Any], **settings: Any) -> VersionResult:
        """Score the file of a submission: predictions, or a model (.onnx). A refusal is part of the result.

        Args:
            settings: Statistics options that replace those of the board.
        """
        challenge, options = self.challenge, {**self.row.options["score"], **own}
        truth, is_model = self.truth, name.lower().endswith(MODEL)
        try:
            if wrong := challenge.check_options(options, is_model):
                raise InputRefused(wrong)
            if is_model:
                predictions = challenge.predict(
                    data, truth, name=name, **challenge.needed("predict", options)
                )
            else:
                needed = challenge.needed("predictions", options)
                predictions = challenge.read_predictions(data, truth, name, **needed)
            how = {**options, **self.row.options["statistics"], **settings, "metadata": self.metadata}
            if self.parts is None:
                return VersionResult(challenge.score(truth, predictions, with_curves=False, **how))
            card, visible = (
                challenge.score(of_cases(truth, part), of_cases(predictions, part), with_curves=False, **how)
                for part in self.parts
            )
        except InputRefused as refused:
            return VersionResult(None, refused.problems)
        return VersionResult(card, shown=visible)


def create(
    store: Store,
    board_id: str,
    challenge_id: str,
    truth: Source,
    settings: BoardSettings,
    name: str | None = None,
) -> OpenBoard:
    """Create a board.

    Args:
        board_id: The id: small letters, digits and hyphens.
        name: Name of the test set in messages; None: the name of its file.

    Raises:
        InputRefused: If truth, id or settings have problems; it lists all of them.
    """
    challenge = load_challenge(challenge_id)
    problems = [*new_board_problems(store, board_id, settings.title), *_wrong(challenge, settings)]
    table = None
    try:
        filename, data = packed(truth, name)
        read = challenge.read_truth(data, name=filename, **challenge.needed("truth", settings.score))
        if settings.metadata is not None:
            joined_columns(read, settings.metadata, repeated=True)
            table = packed(settings.metadata)[1]
    except InputRefused as refused:
        problems += refused.problems
    if problems:
        raise InputRefused(problems)
    created, digest = schema.now(), sha256(data)
    options = {part: dict(getattr(settings, part)) for part in ("score", "compare", "statistics")}
    row = schema.Board(
        id=board_id,
        challenge=challenge.id,
        title=shortened(settings.title),
        counts=settings.counts,
        options=options | kept_declaration(challenge.id),
        created=created,
        version=1,
        keep_refused=settings.keep_refused,
    )
    test_set = schema.TestSetVersion(
        board_id=board_id, number=1, name=filename, sha256=digest, created=created
    )
    files = {digest: data}
    if table is not None:
        test_set.metadata_sha256 = sha256(table)
        files[test_set.metadata_sha256] = table
    with store.write() as session:
        pin_files(store, session, files)
        session.add(row)
        session.flush()
        session.add(test_set)
    return OpenBoard(store, row, test_set)


def _wrong(challenge: Challenge[Any, Any], settings: BoardSettings) -> list[Finding]:
    """Return findings about invalid options."""
    problems = [
        *challenge.check_options({**settings.score, **settings.compare}),
        *StatisticsOptions(**settings.statistics).problems(),
    ]
    if settings.counts not in COUNTS:
        message = f"{settings.counts!r} is not one of {', '.join(COUNTS)}."
        problems.append(error("bad-option", "--counts", message))
    return problems


def opened(store: Store, board_id: str, number: int | None = None) -> OpenBoard:
    """Return a board with one version of its test set.

    Only organizers can open drafts. Only organizers learn from a refusal which other boards exist.

    Args:
        number: Number of the version; None: the version whose scores are shown.

    Raises:
        InputRefused: With `no-board` if there is no such board or its challenge is unknown here, `no-version`
            if it has no such version, `imported-board` if it was imported from another platform, or
            `board-damaged` if its rows cannot be read.
    """
    with store.read() as session:
        row = session.get(schema.Board, board_id)
        organizes = store.actor.role >= Role.ORGANIZER
        if row is None or (row.visibility == DRAFT and not organizes):
            message = "there is no such board."
            if organizes:
                known = ", ".join(session.scalars(select(schema.Board.id).order_by(schema.Board.id)))
                message += f" Boards: {known or 'none yet'}."
            raise InputRefused([error("no-board", shortened(board_id, 64), message)])
        require_readable(board_id, [row])
        if IMPORTED in row.options:
            message = (
                "this board was imported from another platform: it is shown, but accepts no submissions."
            )
            raise InputRefused([error("imported-board", board_id, message)])
        _require_declaration(row)
        if not is_known(row.challenge):
            message = (
                f"the challenge {shortened(row.challenge, 64)} of this board is unknown to this version: "
                "install a newer Benchside."
            )
            raise InputRefused([error("no-board", board_id, message)])
        wanted = row.version if number is None else number
        test_set = session.get(schema.TestSetVersion, (board_id, wanted)) if wanted <= row.version else None
        if test_set is None:
            message = f"the board has no version {wanted} of its test set, only versions 1 to {row.version}."
            raise InputRefused([error("no-version", board_id, message)])
        require_readable(board_id, [test_set])
    return OpenBoard(store, row, test_set)


def _require_declaration(row: schema.Board) -> None:
    """Register the declared challenge of a board. Raises InputRefused `board-damaged` if its declaration has
    problems, which earlier versions did not find."""
    if problem := remember(row.options.get("declaration")):
        raise damaged(row.id, f"its challenge, {problem}")


def listed(store: Store) -> list[dict[str, Any]]:
    """Return the boards, oldest first, with their numbers of teams and submissions. If a board cannot be
    read, its entry `broken` says why."""
    names = ("id", "challenge", "title", "created", "version", "visibility")
    with store.read() as session:
        columns = (getattr(schema.Board, name) for name in names)
        rows = session.execute(select(*columns).order_by(schema.Board.created, schema.Board.id)).all()
        pairs = session.execute(select(schema.Submission.board_id, schema.Submission.team)).all()
    return [
        dict(zip(names, row, strict=True))
        | {"teams": len({team for board_id, team in pairs if board_id == row.id})}
        | {"submissions": sum(board_id == row.id for board_id, _ in pairs)}
        | _imported_or_broken(store, row.id)
        for row in rows
    ]


def _imported_or_broken(store: Store, board_id: str) -> dict[str, Any]:
    """Return how many teams an imported leaderboard has, or why a board cannot be read."""
    phase = schema.PhaseRow
    try:
        with store.read() as session:
            row = session.get(schema.Board, board_id)
            phases = session.scalars(select(phase).where(phase.board_id == board_id)).all()
        if row is not None:
            require_readable(board_id, [row, *phases])
            _require_declaration(row)
    except InputRefused as refused:
        return {"broken": refused.problems[0].message}
    if row is None or IMPORTED not in row.options:
        return {}
    return {"teams": len({entry[0] for entry in row.options[IMPORTED]["entries"]})}


def own_options(challenge: Challenge[Any, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of one submission, parsed from text. Raises InputRefused `bad-option` for options
    that submissions do not have, and for wrong values."""
    own = {option.name: option for option in challenge.options if option.per_team}
    problems: list[Finding] = []
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in own:
            known = ", ".join(own) or "none"
            problems.append(
                error(
                    "bad-option",
                    "--option",
                    f"{name!r} cannot be set for a single submission. These options can: {known}.",
                )
            )
            continue
        try:
            values[name] = own[name].type(text)
        except ValueError:
            problems.append(error("bad-option", "--option", f"{name}: {text!r} is not a number."))
    problems += of_options.check(own.values(), values)
    if problems:
        raise InputRefused(problems)
    return values


def new_board_problems(store: Store, board_id: str, title: str) -> list[Finding]:
    """Check the id and the title of a new board and return the problems."""
    problems = []
    if not BOARD_ID.fullmatch(board_id):
        message = "write at most 64 small letters, digits and hyphens, such as lesions-2026."
        problems.append(error("bad-option", "--id", message))
    problems += title_problems(title)
    with store.read() as session:
        if session.get(schema.Board, board_id) is not None:
            message = f"there is a board {board_id} already: choose another address (id)."
            problems.append(error("board-exists", "--id", message))
    return problems


def title_problems(title: str) -> list[Finding]:
    """Check the title of a board and return the problems."""
    if title.strip() and len(title) <= schema.NAME:
        return []
    return [error("bad-option", "--title", f"write 1 to {schema.NAME} characters.")]


def change_settings(
    store: Store,
    board_id: str,
    title: str | None = None,
    counts: str | None = None,
    keep_refused: bool | None = None,
    visibility: str | None = None,
) -> OpenBoard:
    """Change the settings of a board; None leaves a setting unchanged.

    Args:
        counts: Which submission of a team is ranked: "last" or "best".
        keep_refused: Whether to store files that are refused from now on. Stored files stay.
        visibility: Who can find the board besides organizers: "draft", "unlisted" or "public".

    Raises:
        InputRefused: With `no-board` if there is no such board, or with `bad-option` for every invalid
            setting.
    """
    board = opened(store, board_id)
    problems = [] if title is None else title_problems(title)
    if counts not in (None, *COUNTS):
        message = f"{counts!r} is not one of {', '.join(COUNTS)}."
        problems.append(error("bad-option", "--counts", message))
    if visibility not in (None, *VISIBILITIES):
        message = f"{visibility!r} is not one of {', '.join(VISIBILITIES)}."
        problems.append(error("bad-option", "--visibility", message))
    if problems:
        raise InputRefused(problems)
    with store.write() as session:
        row = session.get(schema.Board, board.row.id, with_for_update=True)
        if row is not None:
            row.visibility = row.visibility if visibility is None else visibility
            row.title = row.title if title is None else shortened(title)
            row.counts = row.counts if counts is None else counts
            row.keep_refused = row.keep_refused if keep_refused is None else keep_refused
            note_change(session, row.id)
    return opened(store, board_id)
