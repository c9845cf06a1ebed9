"""When a viewer is sent somewhere: once for each place that is asked for, so that what the visitor does in
between stays."""

from collections.abc import Mapping
from dataclasses import dataclass

Place = Mapping[str, object]


@dataclass(frozen=True)
class Request:
    """What a viewer was asked for in a case. asked: as the page said it last. sent: what the viewer is told;
    its `turn` makes the same place a new request when it is asked for again."""

    case: str
    asked: Place | None = None
    sent: Place | None = None
    turn: int = 0


def following(before: Request | None, case: str, asked: Place | None, selected: Place | None) -> Request:
    """The request after the page asks for a place, or for none. selected: where the visitor went in the
    viewer, which may come back as what is asked for, and is no reason to go there again."""
    last = before if before is not None and before.case == case else Request(case)
    if asked == last.asked:
        return last
    there = asked is None or (
        selected is not None and all(selected.get(name) == value for name, value in asked.items())
    )
    if there:
        return Request(case, asked, last.sent, last.turn)
    return Request(case, asked, {**asked, "turn": last.turn + 1}, last.turn + 1)
