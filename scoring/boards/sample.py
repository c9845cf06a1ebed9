"""A board from sample data, to see what boards are."""

from collections.abc import Callable

from scoring import samples
from scoring.boards.board import Opened, Settings, create
from scoring.boards.packing import packed
from scoring.boards.sent import Sent
from scoring.boards.submitting import submit
from scoring.store.database import Store

ID, TITLE = "sample", "Sample board"
CHALLENGE, TRUTH = "melanoma", "labels.csv"
DAYS = ("2026-10-01", "2026-10-08", "2026-10-15")
RESAMPLES = 200


def create_sample(store: Store, progress: Callable[[int, int], object] | None = None) -> Opened:
    """Create a board on a sample test set: its teams submit three files each in three weeks, the last of
    which is their own, those before are other teams'. Raises InputRefused."""
    sample = next(iter(samples.test_sets(CHALLENGE).values()))
    board = create(
        store, ID, CHALLENGE, str(sample.path / TRUTH), Settings(TITLE, statistics={"resamples": RESAMPLES})
    )
    teams = [one for one in sample.submissions.values() if not one.is_model]
    for week, day in enumerate(DAYS):
        for place, team in enumerate(teams):
            if progress:
                progress(week * len(teams) + place, len(DAYS) * len(teams))
            file = teams[(place + len(DAYS) - 1 - week) % len(teams)]
            name, data = packed(str(file.path))
            submit(board, Sent(team.title, name, data, file.options, f"{day}T12:00:00.000000+00:00"))
    return board
