"""Sample board, made from sample data."""

from collections.abc import Callable

from scoring.boards.board import BoardSettings, OpenBoard, create
from scoring.boards.serialization import packed
from scoring.boards.submissions.submitting import SubmissionRequest, submit
from scoring.challenges import samples
from scoring.store.database import Store

ID, TITLE = "sample", "Sample board"
CHALLENGE, TRUTH = "melanoma", "labels.csv"
DAYS = ("2026-10-01", "2026-10-08", "2026-10-15")
MIXED = (3, 7)
"""How often a row of a sample table exchanges its values with the next row: about every third row in the
first week, every seventh in the second."""
RESAMPLES = 200


def create_sample(store: Store, progress: Callable[[int, int], object] | None = None) -> OpenBoard:
    """Create a board on a sample test set. Each team submits three files in three weeks. The last file is the
    team's sample file. In the earlier files, predictions of some cases are exchanged. Raises InputRefused as
    `create` does, for example if the board exists already."""
    sample = next(iter(samples.test_sets(CHALLENGE).values()))
    board = create(
        store,
        ID,
        CHALLENGE,
        str(sample.path / TRUTH),
        BoardSettings(TITLE, statistics={"resamples": RESAMPLES}),
    )
    teams = [submission for submission in sample.submissions.values() if not submission.is_model]
    for week, day in enumerate(DAYS):
        for number, team in enumerate(teams):
            if progress:
                progress(week * len(teams) + number, len(DAYS) * len(teams))
            name, data = packed(str(team.path))
            if week < len(MIXED):
                data = _mixed(data, MIXED[week] + number % 2)
            submit(
                board, SubmissionRequest(team.title, name, data, team.options, f"{day}T12:00:00.000000+00:00")
            )
    return board


def _mixed(table: bytes, every: int) -> bytes:
    """Return a table of predictions in which rows 0, `every`, 2 `every` and so on have exchanged their values
    with the next row."""
    header, *lines = table.decode().splitlines()
    rows = [line.partition(",") for line in lines]
    for at in range(0, len(rows) - 1, every):
        row, following = rows[at], rows[at + 1]
        rows[at], rows[at + 1] = (*row[:2], following[2]), (*following[:2], row[2])
    return "\n".join([header, *map("".join, rows), ""]).encode()
