"""What the report of a PUMA scorecard says besides what every report says."""

import base64
from collections.abc import Callable, Iterator
from html import escape

import numpy as np
import plotly.graph_objects as go

from scoring.challenges.puma import clinic, suspicious
from scoring.challenges.puma.card import rule_of
from scoring.challenges.puma.formula import METRICS, MICROMETRES_PER_PIXEL, RULE_NAMES
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.view import OBSERVERS, marks, worst_first
from scoring.figures import detection as figures
from scoring.figures.detection import Reach
from scoring.figures.numerals import decimal, percent
from scoring.figures.raster import overlay_png
from scoring.figures.theme import Theme
from scoring.scorecard import ScoreCard

Place = Callable[[Callable[[Theme], go.Figure], str], str]
NAMES = {rule: f"Macro F1, {name}" for rule, name in RULE_NAMES.items()}
IMAGES, PICTURES, SIDE, COLOURS = 30, 3, 440, 128


def sections(card: ScoreCard, place: Place) -> Iterator[str]:
    """HTML, section by section. place: draws a figure, built from a theme, with a caption."""
    yield place(lambda theme: figures.reach(reached(card), theme), reach_words())
    yield _images(card, place)
    yield _tissue(card, place)
    yield _pictures(card)


def reached(card: ScoreCard) -> list[Reach]:
    """The three macro F1s, the card's own first, micro F1 and detection F1 beside what can be reached;
    observers beside the last two."""
    m, chosen = card.metrics, rule_of(card).name
    rows = [
        Reach(
            NAMES[rules],
            m[METRICS[rules]],
            card.intervals.get(METRICS[rules]),
            m[f"best_possible_{METRICS[rules]}"],
            chosen=rules == chosen,
        )
        for rules in (chosen, *(other for other in METRICS if other != chosen))
    ]
    observers = [(name, one["f1"]) for name, one in OBSERVERS.items()]
    return [
        *rows,
        Reach("Micro F1", m["micro_f1"], card.intervals.get("micro_f1"), marks=observers),
        Reach("Detection F1, any class", card.more["detection"]["f1"], marks=observers),
    ]


def reach_words() -> str:
    """What the figure of `reached` shows, for its caption."""
    between, within = (decimal(one["f1"], 3) for one in OBSERVERS.values())
    return (
        "Hatched: out of reach even for the truth itself. Strokes: two observers agree to "
        f"{between}, one with themselves to {within} "
        "(detection F1, 12 regions): to be held against no macro F1."
    )


def _images(card: ScoreCard, place: Place) -> str:
    order = worst_first(card)[:IMAGES]
    names, f1 = [card.cases[i]["case"] for i in order], card.arrays["f1"][list(order)]
    flagged = [
        (row["case"], words) for row, words in zip(card.cases, suspicious.doubts(card), strict=True) if words
    ]
    listed = "".join(
        f"<li>{escape(case)}: {escape(', '.join(words))}</li>" for case, words in flagged[:IMAGES]
    )
    more = f"<li>and {len(flagged) - IMAGES} more</li>" if len(flagged) > IMAGES else ""
    drawn = place(
        lambda theme: figures.class_heat(f1, CLASSES, names, theme),
        (
            f"Worst image first, {len(names)} of {card.n_cases}. Blank: the class is in neither truth "
            "nor prediction."
        ),
    )
    return drawn + (
        f"<h2>Which images are missing or suspicious?</h2><ul>{listed}{more}</ul>" if flagged else ""
    )


def _tissue(card: ScoreCard, place: Place) -> str:
    density = [
        np.array([entry[f"per_mm2_{side}"] for entry in card.per_class.values()])
        for side in ("truth", "predicted")
    ]
    til = [
        np.array([row[f"til_share_{side}"] for row in card.cases], float) for side in ("truth", "predicted")
    ]
    away = [card.arrays[name] for name in ("um_truth", "um_predicted")]
    within = clinic.drawn_within(*away)
    shares, names = (
        [clinic.cumulative(values, within) for values in away],
        [row["case"] for row in card.cases],
    )
    return "".join(
        (
            place(
                lambda theme: figures.densities(CLASSES, *density, theme),
                "● truth, ◆ predicted, of all images together. Not ranked.",
            ),
            place(
                lambda theme: figures.shares(names, *til, theme),
                f"A dot per image. All together: truth {percent(card.metrics['til_share_truth'])}, "
                f"predicted {percent(card.metrics['til_share_predicted'])}. Not ranked, and no diagnosis.",
            ),
            place(
                lambda theme: figures.distances(within, *shares, clinic.NEAR_MICROMETRES, theme),
                (
                    "Tumour nuclei of images that hold a lymphocyte. Dotted: 20 and 50 µm. Not ranked, "
                    "and no diagnosis."
                ),
            ),
        )
    )


def _pictures(card: ScoreCard) -> str:
    """The worst images that have a prediction, as points: a scorecard holds no outlines and no tissue."""
    handed_in = [i for i in worst_first(card) if not card.cases[i]["missing"]]
    shown = [_picture(card, i) for i in handed_in[:PICTURES]]
    words = (
        "Circle: found; cross: spurious; ring: missed; cross in a ring: another class. The viewer shows "
        "outlines on the tissue."
    )
    return f"<h2>Where are the errors of the worst images?</h2><p class='soft'>{words}</p>{''.join(shown)}"


def _picture(card: ScoreCard, index: int) -> str:
    row = card.cases[index]
    png = overlay_png(
        marks(card, index),
        (row["width"], row["height"]),
        row["case"],
        MICROMETRES_PER_PIXEL,
        SIDE,
        colours=COLOURS,
    )
    told = (
        f"{row['tp']:,} found, {row['fp']:,} spurious, {row['fn']:,} missed; F1 {decimal(row['macro_f1'], 3)}"
    )
    name = escape(row["case"])
    return (
        f'<figure><img src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="Nuclei of '
        f'{name}: {told}" style="max-width:100%">'
        f"<figcaption>{name}: {told}</figcaption></figure>"
    )
