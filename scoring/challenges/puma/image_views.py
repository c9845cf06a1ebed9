"""Views of single images: the worst images, and where their errors are. For nuclei in the viewer see
`nuclei_listing`."""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter

from scoring.challenges.puma.diagnostics import suspicious_signs
from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL
from scoring.challenges.puma.nuclei_listing import marks
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Figure, Gallery, Picture, Table
from scoring.presentation.figures import detection as figures
from scoring.presentation.figures.nuclei_pictures import overlay_png
from scoring.presentation.figures.number_format import decimal

IMAGES, PICTURES, SIDE, COLOURS = 30, 3, 440, 128
"""For reports: maximum number of images in the heat map and in the list; number of pictures that show errors;
their size in px; and their number of colours."""


def count_of_images(n: int) -> str:
    """Return a number of images as text, such as "3 images"."""
    return f"{n} image{'s' * (n != 1)}"


def images(card: ScoreCard) -> tuple[Figure | Table | Gallery, ...]:
    """Return blocks with the worst images, with missing or suspicious images, and with the errors in the
    worst images."""
    order, signs = worst_first(card), suspicious_signs(card)
    flagged = [
        (row["case"], ", ".join(signs_of_case))
        for row, signs_of_case in zip(card.cases, signs, strict=True)
        if signs_of_case
    ]
    suspicious = Table.of(
        "Which images are missing or suspicious?",
        flagged[:IMAGES],
        (Column("case", "image", get=itemgetter(0)), Column("signs", "▲", get=itemgetter(1))),
        f"and {len(flagged) - IMAGES} more" if len(flagged) > IMAGES else "",
        key="suspicious",
    )
    return (
        class_heat(card, order[:IMAGES]),
        *((suspicious,) if flagged else ()),
        _worst_pictures(card, order),
    )


def worst_first(card: ScoreCard) -> tuple[int, ...]:
    """Return the indices of the cases by increasing macro F1; of cases with equal F1, those with more errors
    come first. Images without any nuclei come last."""

    def rank(i: int) -> tuple[bool, float, int]:
        row = card.cases[i]
        return row["macro_f1"] is None, row["macro_f1"] or 0.0, -(row["fp"] + row["fn"])

    return tuple(sorted(range(len(card.cases)), key=rank))


def class_heat(card: ScoreCard, places: Sequence[int]) -> Figure:
    """Return a heat map of the F1 of each class in the images at `places` in `card.cases`."""
    names = [card.cases[i]["case"] for i in places]
    f1 = card.arrays["f1"][list(places)]
    return Figure(
        partial(figures.class_heat, f1, CLASSES, names),
        f"Worst image first, {len(names)} of {card.n_cases}. Blank: the class is in neither truth nor "
        "prediction.",
        {"image": names, **{name: f1[:, k].tolist() for k, name in enumerate(CLASSES)}},
        key="class_heat",
        cases=True,
    )


def images_table(card: ScoreCard) -> Table:
    """Return a table of all images, worst first, with signs of mistakes."""
    order, signs = worst_first(card), suspicious_signs(card)
    columns = (
        Column("case", "image", width=200),
        Column(
            "macro_f1",
            "F1",
            "number",
            better="higher",
            help="Mean F1 of the classes that occur in the image; not used for ranking",
            width=50,
        ),
        Column("micro_f1", "micro", "number", better="higher", width=54),
        Column("n_truth", "nuclei", "number", 0, width=52),
        Column("n_predicted", "found", "number", 0, width=50),
        Column("fp", "FP", "number", 0, "lower", width=44),
        Column("fn", "FN", "number", 0, "lower", width=44),
        Column(
            "signs",
            "▲",
            help="Missing, or so unlike the truth that a mistake in the file is likely",
            width=136,
        ),
    )
    rows = [{**card.cases[i], "signs": ", ".join(signs[i])} for i in order]
    return Table.of(
        f"Which images have the worst results? {len(rows)}",
        rows,
        columns,
        f"▲: {sum(map(bool, signs))} of {len(rows)} images are missing or suspicious.",
        key="image_rows",
        cases="case",
    )


def _worst_pictures(card: ScoreCard, order: Sequence[int]) -> Gallery:
    """Return the worst images that have a prediction, as points: a scorecard holds no outlines and no
    tissue."""
    submitted = [i for i in order if not card.cases[i]["missing"]]
    return Gallery(
        "Where are the errors of the worst images?",
        [_picture(card, i) for i in submitted[:PICTURES]],
        "Circle: found; cross: spurious; ring: missed; cross in a ring: another class. The viewer shows "
        "outlines on the tissue.",
    )


def _picture(card: ScoreCard, index: int) -> Picture:
    row = card.cases[index]

    def png() -> bytes:
        drawn, size = marks(card, index), (row["width"], row["height"])
        return overlay_png(drawn, size, row["case"], MICROMETRES_PER_PIXEL, SIDE, colours=COLOURS)

    counts = (
        f"{row['tp']:,} found, {row['fp']:,} spurious, {row['fn']:,} missed; F1 {decimal(row['macro_f1'], 3)}"
    )
    return Picture(png, f"Nuclei of {row['case']}: {counts}", f"{row['case']}: {counts}")
