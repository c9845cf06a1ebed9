"""A board with a hidden truth, two teams and a phase that is open, and what a participant hands in."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from scoring.access.roles import Actor, Role
from scoring.boards.board import BoardSettings, OpenBoard, create, opened
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.submissions import participant, phases_and_limits
from scoring.boards.submissions.participant import SubmissionFeedback
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members
from scoring.store.database import Store, open_store
from tests.support.boards import CASES, TRUTH

PAUL = Actor(Role.PARTICIPANT, "https://idp|paul", "Paul", "paul@example.org", issued=1000.0)
MAX = Actor(Role.PARTICIPANT, "https://idp|max", "Max", "max@example.org", frozenset({"lab"}), issued=1000.0)
STATISTICS = {"resamples": 0, "seed": 0, "group": None, "interval": "percentile"}
OPEN = Phase("validation", per_day=5, total=100)


def hidden_board(
    folder: Path,
    known: HiddenRules | None = None,
    phase: Phase | None = OPEN,
    labels: Mapping[str, bool] | None = None,
) -> OpenBoard:
    """Open the board "h": Paul is in team alpha, the group lab in team beta. Names of cases and places are
    canaries."""
    store = open_store()
    truth, rows = folder / "truth.csv", labels or dict(zip(CASES, TRUTH, strict=True))
    truth.write_text(
        "filename,label,Location\n"
        + "".join(f"{case},{bool(ill)},canaryplace{i % 3}\n" for i, (case, ill) in enumerate(rows.items()))
    )
    create(store, "h", "melanoma", str(truth), BoardSettings("H", statistics=STATISTICS))
    visible_results.hide(store, "h", known or HiddenRules())
    if phase is not None:
        phases_and_limits.define(store, "h", phase)
    members.set_members(store, "h", "alpha", ["Paul@example.org"])
    members.set_members(store, "h", "beta", ["group:lab"])
    return opened(store, "h")


def acting(board: OpenBoard, actor: Actor) -> OpenBoard:
    """Return the board on behalf of somebody."""
    return replace(board, store=as_actor(board.store, actor))


def as_actor(store: Store, actor: Actor) -> Store:
    return replace(store, actor=actor)


def table(values: list[float], cases: list[str] = CASES) -> bytes:
    """Return a submission with a value for each case."""
    rows = (f"{case},{value:.6f}" for case, value in zip(cases, values, strict=True))
    return ("filename,score\n" + "\n".join(rows) + "\n").encode()


def good(wrong: int = 0) -> bytes:
    """Return a submission that is right but for so many cases."""
    return table([0.9 if ill != (i < wrong) else 0.1 for i, ill in enumerate(TRUTH)])


def handed_in(
    board: OpenBoard, data: bytes, actor: Actor = PAUL, team: str = "alpha", **more: str
) -> SubmissionFeedback:
    """Hand in a file as a participant."""
    return participant.submit(acting(board, actor), team, "p.csv", data, more, uuid4().hex)
