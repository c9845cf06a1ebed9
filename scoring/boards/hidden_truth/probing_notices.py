"""Notices for organizers: submissions that may probe a hidden truth, refused addresses and refused logins."""

import io
import zipfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np
from sqlalchemy import delete, select

from scoring.access.roles import Role
from scoring.boards.hidden_truth import visible_results
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.boards.ranking.ranked_submissions import RankedSubmission
from scoring.boards.submissions.phases_and_limits import DAY
from scoring.boards.teams.members import team_names
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, note
from scoring.common.text import shortened
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import is_zip, sha256
from scoring.inputs.tables import TextTable, read_table
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import Attempt, RefusedAddress

NEAR_SHARE, NEAR_LOOKED_AT = 0.01, 10
"""Two submissions of a team are near if they differ in at most this share of the cases, or in one case. The
second value is the number of earlier submissions that are compared."""
OTHERS_LOOKED_AT, ALIKE_FROM = 30, 0.999
"""Number of other teams whose last submission is compared. The second value is the minimum rank correlation
of submissions that count as copies."""
FEWEST_ROWS = 3
MOST_BYTES = 1 << 24
"""Maximum size of a file that is searched for constant columns."""
MOST_KNOWN = 10_000
_known: dict[str, str] = {}
"""Results of the search for constant columns, by the SHA-256 of the file."""
EVERYTHING = "every case has the same answer"
SCORED, FAILED = "scored", "failed"
"""Outcomes of attempts."""
NEAR = "differ from an earlier submission in very few cases: this can reveal a hidden truth."
ALIKE = "have the same number for all cases in at least one column: this can reveal how often a class occurs."
EQUAL = "identical, byte for byte: do these teams work together, or share results?"
COPIES = "answers of these teams rank the cases in nearly the same order: one file may be a copy of another."
UNSCORED = "could not be scored because of an error in Benchside, not in the file: see the server's log."


def near(ranking: BoardRanking, entry: RankedSubmission) -> str | None:
    """Return the id of an earlier submission that is nearly the same; None if there is none.

    Two submissions of the same team are compared by the cases that they got right. The last submissions of
    other teams are compared by the order in which their outputs sort the cases.
    """
    correct = ranking.board.challenge.comparison.correct
    values = correct(ranking.card(entry))
    most = max(1, NEAR_SHARE * len(values))
    before = [
        past
        for past in ranking.entries
        if past.team == entry.team and past.id != entry.id and past.card and past.card != entry.card
    ]
    for past in before[-NEAR_LOOKED_AT:]:
        other = correct(ranking.card(past))
        if np.shape(other) == np.shape(values) and int(np.sum(~np.isclose(other, values))) <= most:
            return past.id
    return _copied(ranking, entry)


def _copied(ranking: BoardRanking, entry: RankedSubmission) -> str | None:
    """Return the id of the last submission of another team whose answers are nearly the same; None if there
    is none."""
    answers = _answers(ranking, entry)
    last = [own[-1] for team, own in ranking.by_team.items() if team != entry.team and own[-1].card]
    last.sort(key=lambda past: past.created)
    for past in last[-OTHERS_LOOKED_AT:]:
        other = _answers(ranking, past)
        if answers is not None and other is not None and other.shape == answers.shape:
            with np.errstate(invalid="ignore"):
                alike = float(np.corrcoef(answers, other)[0, 1])
            if alike >= ALIKE_FROM:
                return past.id
    return None


def _answers(ranking: BoardRanking, entry: RankedSubmission) -> Floats | None:
    """Return the ranks of the outputs of a submission. Without outputs, return how right each case is, if
    this takes several values; otherwise None."""
    card = ranking.card(entry)
    if (outputs := card.arrays.get("outputs")) is not None:
        return np.unique(np.nan_to_num(np.asarray(outputs, float)).ravel(), return_inverse=True)[1] + 0.0
    degrees = np.nan_to_num(np.asarray(ranking.board.challenge.comparison.correct(card), float).ravel())
    return degrees if len(np.unique(degrees)) > FEWEST_ROWS else None


def constant(data: bytes) -> str:
    """Return a phrase that names what is the same for all cases of a submission; "" if nothing is the same.

    A column of zeros is not reported, because a model may never predict that class. In a zip, the answers of
    all cases are compared as bytes.
    """
    if len(data) > MOST_BYTES:
        return ""
    if is_zip(data[:4], ""):
        return EVERYTHING if _has_one_answer(data) else ""
    try:
        table = read_table(data, "submission")
    except InputRefused:
        return ""
    return _constant_columns(table)


def constant_file(store: Store, digest: str) -> str:
    """Return the result of `constant` for a stored file; "" if the file is gone."""
    if digest not in _known:
        try:
            constant_kind = constant(store.files.read(digest))
        except (InputRefused, OSError):
            return ""
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[digest] = constant_kind
    return _known[digest]


def _has_one_answer(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            files = [member for member in packed.infolist() if not member.is_dir()]
            if len({file.CRC for file in files}) != 1 or sum(file.file_size for file in files) > MOST_BYTES:
                return False
            return len(files) >= FEWEST_ROWS and len({sha256(packed.read(file)) for file in files}) == 1
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, OSError):
        return False


def _constant_columns(table: TextTable) -> str:
    numbers = {
        name: values
        for name, cells in zip(table.header, table.columns, strict=True)
        if len(values := parse_numbers(cells).values) >= FEWEST_ROWS and _are_answers(values)
    }
    same = [name for name, values in numbers.items() if np.ptp(values) == 0]
    if same and len(same) == len(numbers):
        return EVERYTHING
    listed = [shortened(name, 40) for name in same if numbers[name][0] != 0]
    return f"each of these columns has one number for all cases: {', '.join(listed)}" if listed else ""


def _are_answers(values: Floats) -> bool:
    """Return whether the values can be answers: they are finite, and some are equal or not whole numbers.
    Otherwise they may only number the rows."""
    if not np.isfinite(values).all():
        return False
    return len(np.unique(values)) < len(values) or not np.equal(values, np.round(values)).all()


ADDRESSES_KEPT = timedelta(days=90)
"""Number of days for which records of refused addresses are kept."""
_SEPARATOR = ", "


class Reason(StrEnum):
    """Why a request for an address of the server was refused."""

    ROLE = "role"
    ENDED = "ended"
    FORGED = "forged"


def record_refused(store: Store, person: str, address: str, reason: Reason) -> None:
    """Record a refused request for the address of a page. For each person, address and reason, at most one
    record a day is made.

    Args:
        store: The store, opened with the program's own rights.
        person: Key of the person: issuer and subject; empty if unknown.
        address: An address that this server has, never a text that a visitor typed.

    Raises:
        InputRefused: If the store cannot be written.
    """
    now = schema.now()[:DAY]
    key = (person[: 2 * schema.NAME], address[: schema.NAME], now, str(reason))
    with store.read() as session:
        if session.get(RefusedAddress, key) is not None:
            return
    oldest = schema.written(datetime.now(UTC) - ADDRESSES_KEPT)[:DAY]
    with store.write() as session:
        session.execute(delete(RefusedAddress).where(RefusedAddress.day < oldest))
        session.merge(RefusedAddress(person=key[0], address=key[1], day=now, reason=str(reason)))


def address_notices(store: Store) -> list[Finding]:
    """Return notices for organizers about requests for addresses that were refused. Raises InputRefused
    unless the actor is an organizer."""
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        query = select(RefusedAddress).order_by(RefusedAddress.day, RefusedAddress.address)
        rows = session.scalars(query).all()
    by_person: dict[str, list[RefusedAddress]] = {}
    for row in rows:
        if row.reason == Reason.ROLE:
            by_person.setdefault(row.person, []).append(row)
    ended = [row for row in rows if row.reason == Reason.ENDED]
    forged = [row for row in rows if row.reason == Reason.FORGED]
    findings = [_of_person(person, own) for person, own in sorted(by_person.items())]
    if ended:
        people = _count(len({row.person for row in ended}), "person", "people")
        message = f"{people} used a login that had ended, last on {ended[-1].day}: they were refused."
        findings.append(note("ended-login", "login", message))
    if forged:
        days = _count(len({row.day for row in forged}), "day", "days")
        message = (
            f"on {days}, last on {forged[-1].day}, somebody used a login cookie that is forged or from "
            "another server, and was refused."
        )
        findings.append(note("forged-login", "login", message))
    return findings


def _of_person(person: str, rows: list[RefusedAddress]) -> Finding:
    addresses = _SEPARATOR.join(dict.fromkeys(row.address for row in rows))
    message = f"{shortened(person)} tried to open this address, last on {rows[-1].day}, and was refused."
    return note("refused-address", shortened(addresses, 120), message)


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def attempts(store: Store, board_id: str) -> list[Attempt]:
    """Return the participants' attempts, newest first. Raises InputRefused unless the actor is an
    organizer."""
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        query = select(Attempt).where(Attempt.board_id == board_id)
        return list(session.scalars(query.order_by(Attempt.created.desc(), Attempt.id)))


def board_notices(store: Store, board_id: str) -> list[Finding]:
    """Return notices for organizers about suspicious or failed attempts. Some report submissions for teams of
    other people, submissions that could not be scored, and refused addresses. Others report signs of probing:
    nearly repeated submissions, and the same answer for all cases. Raises InputRefused `forbidden` unless the
    actor is an organizer."""
    tried = attempts(store, board_id)
    foreign = [
        note(
            "foreign-team", shortened(row.team, 60), f"{shortened(row.person)} tried to submit for this team."
        )
        for row in tried
        if row.outcome == "foreign-team"
    ]
    scored = [attempt for attempt in tried if attempt.outcome == SCORED]
    alike = Counter(attempt.team for attempt in scored if constant_file(store, attempt.sha256))
    team_of = _teams_by_submission(store, board_id)
    near = Counter(a.team for a in tried if a.near and team_of.get(a.near, a.team) == a.team)
    copies = {(a.team, team_of[a.near]) for a in tried if a.near and team_of.get(a.near, a.team) != a.team}
    failed = Counter(attempt.team for attempt in tried if attempt.outcome in (FAILED, "clock-behind"))
    return [
        *foreign,
        *equal_files(store, board_id),
        *near_names(store, board_id),
        *(note("near-copy", shortened(f"{team}, {other}", 120), COPIES) for team, other in sorted(copies)),
        *(_counted("near-duplicates", team, count, NEAR) for team, count in sorted(near.items())),
        *(_counted("constant-columns", team, count, ALIKE) for team, count in sorted(alike.items())),
        *(_counted("not-scored", team, count, UNSCORED) for team, count in sorted(failed.items())),
        *address_notices(store),
    ]


def team_notices(ranking: BoardRanking) -> list[Finding]:
    """Return notices for organizers about the teams of a board.

    The notices say whether the truth is safe with this number of teams. They also report files that several
    teams submitted, teams whose last two submissions have the same time, and team names that are nearly
    equal.

    Args:
        ranking: The ranking of all phases.
    """
    board = ranking.board
    known = (board.store, board.row.id)
    of_names = (*equal_files(*known), *near_names(*known))
    return [*visible_results.unsafe(board, ranking), *of_names, *equal_times(ranking)]


def equal_times(ranking: BoardRanking) -> list[Finding]:
    """Return a notice for each team whose last two submissions have the same time. Merging teams can cause
    this; the ids then decide which of the two submissions is the last."""
    findings: list[Finding] = []
    for team, entries in sorted(ranking.by_team.items()):
        *_, before, last = (None, None, *(entry for entry in entries if entry.is_eligible))
        if before and last and before.created == last.created:
            message = (
                f"the last submissions of this team have the same time: {last.id} counts as the later one, "
                "because its id sorts last."
            )
            findings.append(note("equal-times", shortened(team, 60), message))
    return findings


def equal_files(store: Store, board_id: str) -> list[Finding]:
    """Return a notice for each file that several teams submitted."""
    sent = schema.Submission
    with store.read() as session:
        columns = (sent.sha256, sent.team)
        rows = session.execute(select(*columns).where(sent.board_id == board_id).distinct()).all()
    teams: dict[str, list[str]] = {}
    for sha, team in rows:
        teams.setdefault(sha, []).append(team)
    groups = Counter(tuple(sorted(names)) for names in teams.values() if len(names) > 1)
    return [
        note(
            "equal-files",
            shortened(", ".join(names), 120),
            f"{count} of their files {'is' if count == 1 else 'are'} {EQUAL}",
        )
        for names, count in sorted(groups.items())
    ]


def near_names(store: Store, board_id: str) -> list[Finding]:
    """Return a notice for each group of team names that differ only in case, blanks and punctuation."""
    spelled: dict[str, list[str]] = {}
    for name in sorted(team_names(store, board_id)):
        spelled.setdefault("".join(filter(str.isalnum, name.casefold())), []).append(name)
    message = "these team names are nearly the same: do they belong to one team? `board team` merges teams."
    return [
        note("near-team-names", shortened(", ".join(names), 120), message)
        for names in spelled.values()
        if len(names) > 1
    ]


def _teams_by_submission(store: Store, board_id: str) -> dict[str, str]:
    sent = schema.Submission
    with store.read() as session:
        query = select(sent.id, sent.team).where(sent.board_id == board_id)
        return {row.id: row.team for row in session.execute(query)}


def _counted(code: str, team: str, count: int, message: str) -> Finding:
    return note(code, shortened(team, 60), f"{count} of its submissions {message}")
