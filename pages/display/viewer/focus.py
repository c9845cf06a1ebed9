"""When a viewer is sent to a place: once for each place that the page requests, so that what the visitor does
in between stays."""

from collections.abc import Mapping
from dataclasses import dataclass

ViewerPlace = Mapping[str, object]


@dataclass(frozen=True)
class Request:
    """Where a viewer was sent in a case.

    Attributes:
        case: Name of the case.
        requested: The place as the page named it last, None for none.
        sent: What the viewer is told; its `turn` makes the same place a new request when it is requested
            again.
        turn: How often the viewer was sent somewhere.
    """

    case: str
    requested: ViewerPlace | None = None
    sent: ViewerPlace | None = None
    turn: int = 0


def next_request(
    before: Request | None, case: str, requested: ViewerPlace | None, selected: ViewerPlace | None
) -> Request:
    """Return the request after the page names a place, or none.

    Args:
        before: The last request, None before the first.
        case: Name of the case.
        requested: The place that the page names, None for none.
        selected: Where the visitor went in the viewer. It may come back as the place that the page names, and
            is no reason to go there again.
    """
    last = before if before is not None and before.case == case else Request(case)
    if requested == last.requested:
        return last
    if requested is None:
        return Request(case, None, last.sent, last.turn)
    if selected is not None and all(selected.get(name) == value for name, value in requested.items()):
        return Request(case, requested, last.sent, last.turn)
    return Request(case, requested, {**requested, "turn": last.turn + 1}, last.turn + 1)
