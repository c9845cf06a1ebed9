"""Views of a PUMA scorecard."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from scoring.challenges import classification_views as shared
from scoring.challenges.preflight_views import format_facts, tensors
from scoring.challenges.puma.detail_views import outlines, tissue
from scoring.challenges.puma.formula import METRICS, RULE_NAMES
from scoring.challenges.puma.image_views import count_of_images, images
from scoring.challenges.puma.nuclei_matching import rule_of
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.findings import SMALL_CLASS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Fact, Facts, Figure, Headline, Section, SideBySide, Table, Views
from scoring.presentation.figures import detection as figures
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.detection import Reach, spaced
from scoring.presentation.figures.number_format import decimal, share, span

NAMES = {rule: f"Macro F1, {name}" for rule, name in RULE_NAMES.items()}
DIVIDES = {
    "description": "mean F1 over the images that hold the class",
    "grand-challenge": "sum of the images' F1s ÷ all {n} images",
    "pooled": "one F1 from the counts of all images together",
}
"""Rule -> definition of a class's value."""
MEANS_OVER = {
    "description": "ten classes",
    "grand-challenge": "the classes that occur",
    "pooled": "the classes that occur",
}
"""Rule -> words for the classes over which its mean is taken."""
CONFUSION = MatrixStyle(
    "Which classes are confused, which nuclei are missed, and which do not exist?",
    unit="nuclei",
    extra_column=("missed", "missed"),
    extra_row=("spurious", "no truth nucleus"),
)
OBSERVERS = {
    "between observers": {"f1": 0.8020, "precision": 0.8034, "recall": 0.8062},
    "one observer twice": {"f1": 0.8566, "precision": 0.8489, "recall": 0.8645},
}
"""Agreement of pathologists in detecting nuclei, on 12 regions, from the challenge's description. It can be
compared with micro F1 and detection F1, but not with a macro F1."""


def views(card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections."""
    sections = [
        Section("Classes", classes(card)),
        Section("Images", images(card), detail=True),
        Section("Tissue", tissue(card)),
    ]
    if "outlines" in card.more:
        sections.append(Section("Outlines", outlines(card)))
    if "model" in card.more:
        sections.append(Section("Model", model(card.more["model"])))
    return Views(headline(card), tuple(sections))


def model(described: Mapping[str, Any]) -> tuple[Facts, Table]:
    """Return blocks with facts about the model, and with the inputs and outputs that it declares."""
    facts = (Fact("Size", f"{described['size_mib']:.2f} MiB"), *format_facts(described, there=False))
    caption = (
        "The model reads each tile in overlapping windows. Peaks of its probability map are nuclei. "
        "Outlines come from the same map."
    )
    return Facts(facts, "Which model was scored?", caption), tensors(described)


def headline(card: ScoreCard) -> Headline:
    """Return the headline: the chosen macro F1 beside its possible maximum, and the other two macro F1s."""
    m, chosen, interval = card.metrics, rule_of(card).name, card.intervals.get("score")
    others = [rule for rule in METRICS if rule != chosen]
    return Headline(
        Fact(
            NAMES[chosen],
            share(card.score),
            span(interval, 3) if interval else "",
            f"{value_of_a_class(chosen, card.n_cases)}; the mean over {MEANS_OVER[chosen]}. "
            f"{shared.method(card)}",
            "higher",
        ),
        (
            Fact("Best possible", share(best_possible(card, chosen)), "the truth itself, by this rule"),
            *(
                Fact(
                    NAMES[rule],
                    share(m[METRICS[rule]]),
                    f"of {share(best_possible(card, rule))}; {value_of_a_class(rule, card.n_cases)}",
                )
                for rule in others
            ),
        ),
        Figure(
            partial(figures.reach, reached(card)),
            f"{observers_in_words()} Score **{card.score!r}**. n = {count_of_images(card.n_cases)}.",
        ),
    )


def value_of_a_class(rule: str, n_images: int) -> str:
    """Return a text that defines the value of a class under a rule."""
    return DIVIDES[rule].format(n=n_images)


def best_possible(card: ScoreCard, rule: str) -> float | None:
    """Return the macro F1 of perfect predictions under a rule; None if it is undefined."""
    return card.metrics[f"best_possible_{METRICS[rule]}"]


def reached(card: ScoreCard) -> list[Reach]:
    """Return the rows of the figure: the three macro F1s beside their possible maximum, then micro F1 and
    detection F1 beside the agreement between pathologists. The macro F1 of the score comes first."""
    m, chosen = card.metrics, rule_of(card).name
    rows = [
        Reach(
            NAMES[rule],
            m[METRICS[rule]],
            card.intervals.get(METRICS[rule]),
            best_possible(card, rule),
            chosen=rule == chosen,
        )
        for rule in (chosen, *(other for other in METRICS if other != chosen))
    ]
    observers = [(name, agreement["f1"]) for name, agreement in OBSERVERS.items()]
    return [
        *rows,
        Reach("Micro F1", m["micro_f1"], card.intervals.get("micro_f1"), marks=observers),
        Reach("Detection F1, any class", card.more["detection"]["f1"], marks=observers),
    ]


def observers_in_words() -> str:
    """Return a caption for the figure of `reached`."""
    between, within = (decimal(agreement["f1"], 3) for agreement in OBSERVERS.values())
    return (
        "Hatched: points that no submission can reach, not even the truth itself. Strokes: detection F1 "
        f"between two pathologists ({between}) and between two readings of one pathologist ({within}), on "
        "12 regions; do not compare these with a macro F1."
    )


def classes(card: ScoreCard) -> tuple[SideBySide, Table]:
    """Return blocks that show the result of each class, how well nuclei are detected, and which classes are
    confused."""
    matrix = card.confusion_matrix or {}
    labels, counts = matrix["labels"], matrix["counts"]
    confusion = Figure(
        partial(confusion_matrix_figure, counts, [*map(spaced, CLASSES)], style=CONFUSION),
        "Rows: truth. Colour: share of the row. Nuclei left over after matching are paired within the "
        "radius regardless of class; any remaining nucleus is missed or spurious. No score uses this matrix. "
        f"n = {card.metrics['n_truth']:,} nuclei.",
        shared.counts_by_class(labels, counts),
    )
    return (
        SideBySide(((classes_table(card), detection_facts(card)), (confusion,)), (12, 10)),
        shared.counts_table(labels, counts, {}),
    )


CLASS_COLUMNS = (
    Column("class", "class", width=96),
    Column("support", "nuclei", "number", 0, width=54),
    Column("images_truth", "images", "count", full="images that hold it", width=50),
    Column("f1", "F1", "bar", better="higher", width=88),
    Column("f1_interval", "95% interval", "interval", 2, width=88, lighter=True),
    Column(
        "best_possible_f1",
        "best",
        "number",
        2,
        full="best possible",
        help="F1 of the truth submitted as the prediction, by this rule",
        width=44,
        lighter=True,
    ),
    Column("precision", "prec.", "number", better="higher", full="precision", width=54),
    Column("recall", "recall", "number", better="higher", width=54),
    *(
        Column(name, name.replace("_", " "), "number", 0, detail=True)
        for name in ("predicted", "tp", "fp", "fn", "images_predicted")
    ),
    *map(shared.estimated, ("f1_pooled", "per_mm2_truth", "per_mm2_predicted")),
)


def classes_table(card: ScoreCard) -> Table:
    """Return a table of the measures of each class."""
    return Table.of(
        "How well is each class predicted?",
        [{"f1_interval": None, **row, "class": spaced(name)} for name, row in card.per_class.items()],
        CLASS_COLUMNS,
        "F1 follows the chosen rule; precision and recall come from the counts of all images. * in under "
        f"{SMALL_CLASS} images: interpret the interval with care. –: undefined. {shared.method(card)}",
        key="classes",
    )


def detection_facts(card: ScoreCard) -> Facts:
    """Return facts about how well nuclei are detected, with the right class and regardless of class, beside
    the agreement of pathologists."""
    between, within = OBSERVERS.values()
    labels = {"f1": "F1", "precision": "precision", "recall": "recall"}
    return Facts(
        (
            *(shared.measure(card, f"micro_{key}", f"Micro {name}") for key, name in labels.items()),
            *(
                Fact(
                    f"Detection {name}",
                    share(card.more["detection"][key]),
                    f"observers {share(between[key])}, {share(within[key])}",
                    "Any class",
                    "higher",
                )
                for key, name in labels.items()
            ),
        ),
        "How well are nuclei found?",
        "Micro: the class must be right. Detection: any class. Observers: agreement between two "
        "pathologists, and between two readings of one pathologist, on 12 regions.",
    )
