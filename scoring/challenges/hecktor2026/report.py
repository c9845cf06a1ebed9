"""What the report says of HECKTOR 2026 beside what every report says."""

from collections.abc import Callable, Iterator

from scoring.challenges.hecktor2026 import figures
from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.report.document import table
from scoring.scorecard import ScoreCard

CENTER_COLUMNS = {
    "n_cases": "n",
    "dice_gtvp": "Dice GTVp",
    "dice_gtvn": "Dice GTVn",
    "balanced_accuracy_t": "balanced accuracy T",
    "balanced_accuracy_n": "balanced accuracy N",
    "c_index": "C-index",
    "comparable_pairs": "pairs inside",
}


def sections(card: ScoreCard, place: Callable[..., str]) -> Iterator[str]:
    """HTML, section by section. place: draws a figure, built from a theme, with a caption."""
    yield (
        '<p class="notice">This report holds what the truth says of every patient: keep it from anyone '
        "who must not see that.</p>"
    )
    for drawing in _drawn(card):
        yield place(drawing.build, drawing.caption)
    groups = card.more["survival"]["groups"]
    if any(group["n"] for group in groups):
        yield "<h2>Who relapsed in each third of the risk?</h2>"
        yield table(
            ("predicted risk", "patients", "relapsed"),
            [(group["name"], group["n"], group["events"]) for group in groups],
        )
    centers = card.more.get("per_center")
    if centers:
        yield "<h2>Does it work everywhere?</h2>"
        yield table(
            ("center", *CENTER_COLUMNS.values()),
            [(name, *(entry[key] for key in CENTER_COLUMNS)) for name, entry in centers.items()],
        )


def _drawn(card: ScoreCard) -> Iterator[figures.Drawing]:
    """The figures that have something to show."""
    if any(row["mask"] != "no-truth" for row in card.cases):
        yield figures.raincloud(card)
        for draw in (figures.dice_by_volume, figures.volumes):
            yield from (draw(card, structure) for structure in STRUCTURES)
    yield from filter(
        None, (*(figures.confusion(card, kind) for kind in ("T", "N")), figures.kaplan_meier(card))
    )
    if card.metrics["comparable_pairs"]:
        yield figures.pairs(card)
