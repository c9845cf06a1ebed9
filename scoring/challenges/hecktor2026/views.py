"""Views of a HECKTOR 2026 scorecard."""

from collections.abc import Callable, Mapping, Sequence

from scoring.challenges.classification_views import method
from scoring.challenges.hecktor2026 import figures, patients, summary
from scoring.challenges.hecktor2026.formula import STRUCTURES, WEIGHTS
from scoring.common.findings import SMALL_CLASS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import (
    Block,
    Column,
    Fact,
    Facts,
    Figure,
    Headline,
    Section,
    SideBySide,
    Table,
    Text,
    Views,
)
from scoring.presentation.figures.number_format import decimal, share, span
from scoring.presentation.figures.score_points import SHARE, ScorePart, score_strip

CONFIDENTIAL = (
    "▲ scorecard.json, the report and the table of cases contain the truth of every patient: do not give "
    "these files to anyone who must not see the truth."
)
COMPONENTS = {
    "segmentation": {"dice_gtvp": "GTVp", "dice_gtvn": "GTVn"},
    "staging": {"balanced_accuracy_t": "T", "balanced_accuracy_n": "N"},
}
"""Subtask -> metrics of which it is the mean, with their short names."""
STRUCTURE_ROWS: Mapping[str, tuple[str, Callable[[float | None], str]]] = {
    "Dice ↑, mean over patients, ranked": ("mean_dice", share),
    "95% interval": ("interval", str),
    "Dice ↑, mean over patients who have it in the truth": ("mean_dice_nonempty_truth", share),
    "pooled over all voxels ↑": ("dice_agg", share),
    "patients": ("n_patients", str),
    "empty in the truth": ("n_empty_truth", str),
    "empty in the submission": ("n_empty_prediction", str),
    "empty in both": ("n_both_empty", str),
}
"""Name of a row in the table of structures -> key in `per_class`, and function that formats its value."""
CENTER_COLUMNS = (
    Column("center", "center", width=90),
    Column("n_cases", "n", "number", 0, full="patients", width=56, lighter=True),
    Column("dice_gtvp", "GTVp", "number", better="higher", full="Dice of GTVp"),
    Column("dice_gtvn", "GTVn", "number", better="higher", full="Dice of GTVn"),
    Column("balanced_accuracy_t", "T", "number", better="higher", full="balanced accuracy of T"),
    Column("balanced_accuracy_n", "N", "number", better="higher", full="balanced accuracy of N"),
    Column("c_index", "C-index", "number", better="higher"),
    Column("comparable_pairs", "pairs", "number", 0, full="comparable pairs inside", lighter=True),
)
WORST: Mapping[str, tuple[str, Sequence[Column], str]] = {
    "dice": (
        "Which patients have the lowest Dice?",
        (
            Column("dice_gtvp", "GTVp", "number", 2, "higher"),
            Column("dice_gtvn", "GTVn", "number", 2, "higher"),
            Column("mask", "mask"),
        ),
        "Ordered by the mean Dice of both structures.",
    ),
    "stages": (
        "Which patients' stages have the largest errors?",
        (
            Column("value", "steps", "number", 0, "lower"),
            Column("t_truth", "T"),
            Column("t_prediction", "predicted", full="predicted T"),
            Column("n_truth", "N"),
            Column("n_prediction", "predicted", full="predicted N"),
        ),
        "Sum of the errors of T and N, in stages; a missing prediction counts as the largest possible error.",
    ),
    "pairs": (
        "Which patients' risks are most wrongly ordered?",
        (
            Column("value", "pairs lost", "number", 0, "lower"),
            Column("comparable_pairs", "of", "number", 0, full="comparable pairs"),
            Column("time", "days", "number", 0),
            Column("event", "relapse", "number", 0),
        ),
        "Pairs lost: comparable pairs that are discordant or have no score.",
    ),
}
"""Name of an order of patients (`patients.WORST`) -> question, columns and caption of its table."""


def views(card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections."""
    return Views(
        headline(card),
        (
            Section("Confidential", (Text(CONFIDENTIAL, "caution"),), detail=True),
            Section("Segmentation", segmentation(card)),
            Section("Staging", staging(card)),
            Section("Prognosis", prognosis(card)),
            Section("Centers", centers(card), detail=True),
            Section("Patients", worst(card)),
        ),
    )


def headline(card: ScoreCard) -> Headline:
    """Return the headline: the score as a sum, the contribution of each subtask, and the missing parts of the
    submission."""
    m, parts, interval = card.metrics, summary.parts(card), card.intervals.get("score")
    bounds = [100 * v for v in interval] if interval else None
    drawn = [ScorePart(p.name, WEIGHTS[p.metric][1], 100 * p.weight, p.value) for p in parts]
    unweighted = Fact(
        "Unweighted",
        share(m["unweighted_score"]),
        f"{decimal(m['consistency'], 4)} away from the weighted score",
        "Plain mean of the three subtasks. If two teams have the same weighted score, the team whose plain "
        "mean is closer to this score is placed first",
        "higher",
    )
    score = Fact(
        "Weighted score", share(card.score), span(interval, 3) if interval else "", method(card), "higher"
    )
    first, alone = score, card.more.get("submitted_part")
    if alone:
        own = card.intervals.get(alone)
        name = f"only {WEIGHTS[alone][0]} was submitted"
        first = Fact(name, share(m[alone]), span(own, 3) if own else "", method(card), "higher")
    return Headline(
        first,
        (score, unweighted) if alone else (unweighted,),
        Figure(lambda theme: score_strip(drawn, theme, bounds, unit=SHARE), _arithmetic(card, parts)),
        parts=(
            *([] if summary.unusable(card) else [_unusable(card)]),
            SideBySide([(_subtask(card, part),) for part in parts], (1, 1, 1)),
        ),
        notes=(_unusable(card),) if summary.unusable(card) else (),
    )


def _arithmetic(card: ScoreCard, parts: Sequence[summary.SubtaskPart]) -> str:
    if card.score is None:
        return (
            "The score is **undefined**: a subtask has no cases to score in this test set; see the findings."
        )
    total = " + ".join(f"{part.weight:.2f} × {part.value:.6f}" for part in parts)
    return f"{total} = **{card.score!r}**. n = {card.n_cases} patients."


def _subtask(card: ScoreCard, part: summary.SubtaskPart) -> Text:
    """Return value, interval and weight of a subtask, its contribution to the score, and its parts."""
    m = card.metrics
    inside = [f"{name} **{share(m[key])}**" for key, name in COMPONENTS.get(part.metric, {}).items()]
    if part.metric == "c_index":
        flipped = "signs reversed" if m["missing_pairs"] else "1 − C"
        inside = [f"{m['comparable_pairs']:,} pairs", f"{flipped} **{share(m['c_index_flipped'])}**"]
    return Text(
        f":small[:gray[{part.name} ↑]]  \n"
        f"**{share(part.value)}** :small[:gray[{span(card.intervals.get(part.metric), 3)}]] &nbsp; "
        f"× {part.weight:.2f} = **{decimal(part.won, 4)}**  \n"
        f":small[{' · '.join(inside)}]"
    )


def _unusable(card: ScoreCard) -> Text:
    """Return the missing, malformed or unknown parts, and the credit from empty masks."""
    credit = summary.credit_of_empty(card)
    sentence = (
        " ".join(f":orange-badge[▲ {count}]" for count in summary.unusable(card))
        or ":green-badge[✓ nothing missing, malformed or unknown]"
    )
    if credit:
        whole = share(card.metrics["dice_from_empty_cases"])
        sentence += (
            f" :gray-badge[∅ {decimal(credit, 4)} of the score] from structures that are empty in truth and "
            f"prediction ({whole} of segmentation)"
        )
    return Text(sentence)


def segmentation(card: ScoreCard) -> Sequence[Block]:
    """Return blocks that show how well masks match: Dice by patient, parts of the mean Dice, and Dice and
    volumes against the true volume."""
    if all(row["mask"] == "no-truth" for row in card.cases):
        return (Text("The test set has no mask, so no segmentation is shown.", "note"),)
    by_size = [
        SideBySide([(draw(card, structure),) for structure in STRUCTURES], (1, 1))
        for draw in (figures.dice_by_volume, figures.volumes)
    ]
    mean: Sequence[Block] = (structures(card), *_credit(card), *_nodes(card))
    return (SideBySide(((figures.raincloud(card),), mean), (3, 2)), *by_size)


def structures(card: ScoreCard) -> Table:
    """Return a table that shows from which groups of patients the mean Dice of each structure comes."""
    columns: dict[str, list[str]] = {}
    for structure, (name, _) in STRUCTURES.items():
        entry = {**card.per_class[name], "interval": span(card.intervals.get(f"dice_{structure}"), 2)}
        columns[name] = [write(entry[key]) for key, write in STRUCTURE_ROWS.values()]
    return Table(
        "Which patients does the mean Dice include?",
        (Column("what", "", width=196), *(Column(name, name, "written", width=96) for name in columns)),
        {"what": list(STRUCTURE_ROWS), **columns},
        "Pooled: Dice over the voxels of all patients, as in HECKTOR 2022; not in this score. "
        f"{method(card)}",
        key="structures",
    )


def _credit(card: ScoreCard) -> Sequence[Text]:
    credit = card.metrics["dice_from_empty_cases"]
    if not credit:
        return ()
    sentence = "for structures that are empty in truth and prediction."
    return (Text(f"The segmentation score includes **{share(credit)}** {sentence}"),)


def _nodes(card: ScoreCard) -> Sequence[Facts]:
    if "gtvn_count_error" not in card.metrics:
        return ()
    error = Fact(
        "Nodes, count error",
        decimal(card.metrics["gtvn_count_error"], 2),
        "not ranked",
        "Mean absolute difference of the numbers of nodes",
        "lower",
    )
    detection = Fact(
        "Nodes, detection F1",
        share(card.metrics["gtvn_detection_f1"]),
        "not ranked",
        "Nodes paired one to one where their IoU is above 0.3: 2 TP / (2 TP + FP + FN)",
        "higher",
    )
    return (Facts((error, detection)),)


def staging(card: ScoreCard) -> Sequence[Block]:
    """Return blocks with the confusion matrices of T and N stages, and the recall of each stage."""
    return (SideBySide([_stages(card, kind) for kind in ("T", "N")], (1, 1)),)


def _stages(card: ScoreCard, kind: str) -> Sequence[Block]:
    matrix = figures.confusion(card, kind)
    if matrix is None:
        return (
            Text(
                f"No patient of the test set has {'a T' if kind == 'T' else 'an N'} stage that counts.",
                "note",
            ),
        )
    return (matrix, recalls(card, kind))


def recalls(card: ScoreCard, kind: str) -> Table:
    """Return the recall of each stage. `kind` is "T" or "N"."""
    entries = {name: entry for name, entry in card.per_class.items() if name[0] == kind and len(name) == 2}
    key = f"balanced_accuracy_{kind.lower()}"
    return Table.of(
        f"How well is each {kind} stage predicted?",
        [{**entry, "stage": name} for name, entry in entries.items()],
        (
            Column("stage", "stage", width=60),
            Column("support", "patients", "count", lighter=True),
            Column("predicted", "predicted", "number", 0, lighter=True),
            Column("recall", "recall", "bar", better="higher"),
        ),
        f"The mean of the recalls is the balanced accuracy: **{share(card.metrics[key])}**, "
        f"{span(card.intervals.get(key), 3)}. A stage without patients is left out of the means. * under "
        f"{SMALL_CLASS} "
        "patients: a few patients decide the recall.",
        key=f"recall_{kind}",
    )


def prognosis(card: ScoreCard) -> Sequence[Block]:
    """Return blocks with survival curves by predicted risk, and with numbers that show how well risks order
    the patients."""
    m, curves = card.metrics, figures.kaplan_meier(card)
    order = Facts(
        (
            Fact(
                "C-index",
                share(m["c_index"]),
                span(card.intervals.get("c_index"), 3),
                "Guessing gives 0.5",
                "higher",
            ),
            Fact(
                "With signs reversed",
                share(m["c_index_flipped"]),
                "" if m["missing_pairs"] else "1 − C",
                "The C-index after the sign of every score is reversed; 1 − C if no score is missing",
            ),
        ),
        "How well do the risks order the patients?",
    )
    pairs = (figures.pairs(card),) if m["comparable_pairs"] else ()
    if curves is None:
        return (
            Text("No patient has time, event and score: there are no survival curves.", "note"),
            order,
            *pairs,
        )
    return (SideBySide(((curves,), (order, *pairs)), (3, 2)), _thirds(card))


def _thirds(card: ScoreCard) -> Table:
    return Table.of(
        "How many patients relapsed in each third of the risk?",
        card.more["survival"]["groups"],
        (
            Column("name", "predicted risk"),
            Column("n", "patients", "number", 0),
            Column("events", "relapsed", "number", 0),
        ),
        key="thirds",
        detail=True,
    )


def centers(card: ScoreCard) -> Sequence[Table]:
    """Return tables with the results of each center; empty if the test set names no centers."""
    rows = card.more.get("per_center")
    if not rows:
        return ()
    table = Table.of(
        "What are the results of each center?",
        [{**row, "center": name} for name, row in rows.items()],
        CENTER_COLUMNS,
        "Dice, balanced accuracy, C-index inside each center. Pairs: comparable pairs with both patients in "
        "the center. The balanced accuracy is a mean over the stages that occur in the center, so centers "
        "with different stages are not fully comparable.",
        key="centers",
    )
    return (table,)


def worst(card: ScoreCard) -> Sequence[Block]:
    """Return tables of the patients with the worst segmentation, staging and prognosis."""
    return (SideBySide([(_worst(card, by),) for by in WORST], (1, 1, 1)),)


def _worst(card: ScoreCard, by: str) -> Table:
    question, columns, caption = WORST[by]
    return Table.of(
        question,
        [{**card.cases[worst.index], "value": worst.value} for worst in patients.worst(card, by)],
        (Column("case", "patient"), *columns),
        caption,
        key=f"worst_{by}",
        cases="case",
    )
