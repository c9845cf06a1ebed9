"""Headline, figures and tables of an ISIC scorecard."""

from collections.abc import Sequence
from functools import partial

from scoring.challenges import classification_views as shared
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.category_views import (
    COLUMNS,
    categories,
    curves,
    malignant,
    strip,
)
from scoring.common.findings import SMALL_CLASS
from scoring.common.text import markdown
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
from scoring.presentation.figures.number_format import UNDEFINED, share, span
from scoring.presentation.figures.score_points import points_lost
from scoring.presentation.figures.theme import short

NAMES = {
    "balanced_accuracy": "Balanced accuracy",
    "macro_auc": "Macro AUC",
    "macro_average_precision": "Macro average precision",
    "macro_f1": "Macro F1",
}
"""Name of each metric that can rank submissions."""
SENTENCE = 600
"""Maximum number of characters of a finding's message."""


def views(card: ScoreCard) -> Views:
    """Return the views of a scorecard: headline and sections. The blocks of the section "Malignant" are only
    for reports; on the page, visitors choose the malignant categories."""
    return Views(
        headline(card),
        (
            Section("Categories", (categories(card),)),
            Section("Points", points(card)),
            Section("Confusion", shared.confusion(card, card_summary.risks(card))),
            Section("Curves", (curves(card),)),
            Section("Malignant", malignant(card, card.more["malignant"])),
            Section("Calibration", shared.calibration(card)),
            Section("Subgroups", subgroups(card)),
            Section("Preflight", preflight(card)),
        ),
    )


def headline(card: ScoreCard) -> Headline:
    """Return the headline: the score, further numbers, and the contribution of each category."""
    metric, _ = card_summary.ranking(card)
    return Headline(
        Fact(NAMES[metric], share(card.score), span(card.intervals.get("score"), 3), shared.method(card)),
        _facts(card, metric),
        strip(card),
        notes=_absent_note(card),
    )


def _facts(card: ScoreCard, metric: str) -> tuple[Fact, ...]:
    fewest, guess, scored = card_summary.smallest(card), card_summary.chance(card), card.more["n_scored"]
    malignant = ", ".join(card.more["malignant"]) or "none"
    return (
        shared.measure(
            card,
            "mean_auc",
            "Mean AUC",
            "Mean over the categories; Benchside uses it to break ties between teams",
        ),
        shared.measure(
            card,
            "malignant_auc",
            "Malignant AUC",
            f"Malignant: {markdown(malignant)}. The official scorer does not compute it; the grouping is a "
            "choice",
        ),
        *(
            shared.measure(card, name, NAMES[name])
            for name in ("balanced_accuracy", "macro_f1")
            if name != metric
        ),
        shared.measure(card, "accuracy", "Accuracy", "Share of correct cases. Not official"),
        Fact("Cases", str(scored), f"of {card.n_cases}" if scored < card.n_cases else "all are scored"),
        Fact(
            "Smallest category", UNDEFINED if fewest is None else str(fewest[1]), fewest[0] if fewest else ""
        ),
        *([_guessing(guess, f"1/{len(card.per_class)}" * (metric == "balanced_accuracy"))] if guess else []),
    )


def _guessing(value: float, below: str) -> Fact:
    return Fact("Guessing gives", share(value), below, "With random labels")


def _absent_note(card: ScoreCard) -> tuple[Text, ...]:
    absent = card_summary.absent(card)
    if not absent:
        return ()
    return (
        Text(
            f":orange-badge[▲ {len(absent)} categor{'ies' if len(absent) > 1 else 'y'} without a case] "
            f"{', '.join(map(markdown, absent))}: left out of every mean here. The official scorer stops "
            "with an error on this test set."
        ),
    )


def points(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks that show how many points each category loses, and how much one case is worth."""
    absent = card_summary.absent(card)
    unseen = (
        Text(
            f"{', '.join(map(markdown, absent))}: no case in this test set, so averages do not "
            f"include {'these categories' if len(absent) > 1 else 'this category'}. A case that is "
            "predicted as such a category is still wrong."
        ),
    )
    worth: tuple[Block, ...] = (_case_worth(card), *(unseen if absent else ()))
    return (SideBySide(((_lost(card),), worth), (3, 2)),)


def _lost(card: ScoreCard) -> Figure:
    measure, marked = card_summary.ranking(card)[1], card_summary.risks(card)
    name = COLUMNS[measure].label
    order = sorted(card.per_class, key=lambda c: -(card.per_class[c]["score_lost"] or 0))
    entries = [card.per_class[c] for c in order]

    rows = {
        short(c): {**entry, **({"risk": marked[c]} if c in marked else {})}
        for c, entry in card.per_class.items()
    }
    return Figure(
        partial(points_lost, rows, measure=(measure, name)),
        f"Bar: points of 100 lost because the category's {name} is below 1. Pale: the largest possible loss "
        f"of the category. Number: its cases; *: fewer than {SMALL_CLASS}. n = {card.more['n_scored']}.",
        {
            "category": order,
            "points lost": [_hundredfold(entry["score_lost"]) for entry in entries],
            "of": [_hundredfold(entry["score_worth"]) for entry in entries],
            name: [entry[measure] for entry in entries],
            "n": [entry["support"] for entry in entries],
        },
        classes=True,
    )


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _case_worth(card: ScoreCard) -> Table | Text:
    question, worth = "How much does one correct case add to the score?", card_summary.case_worth(card)
    if not worth:
        metric, measure = card_summary.ranking(card)
        name = NAMES[metric]
        return Text(
            f"Each category has the same weight in {name[:1].lower()}{name[1:]}, however few cases it "
            f"has. The gain in {COLUMNS[measure].label} also depends on how the other cases are scored.",
            question=question,
        )
    most = 100 * max(worth.values())
    return Table.of(
        question,
        [
            {"category": name, "n": card.per_class[name]["support"], "case": 100 * value}
            for name, value in worth.items()
        ],
        (
            Column("category", "category", "class", width=110),
            Column("n", "n", "number", 0, width=60, lighter=True),
            Column("case", "points per case", "bar", 2, most=most),
        ),
        "Gain in score from one more correct case. Each category has the same weight, however few cases it "
        "has.",
        risks=card_summary.risks(card),
        key="weights",
    )


def subgroups(card: ScoreCard) -> Sequence[Block]:
    """Return blocks with results by age, sex and body site, or a text that says which columns are needed for
    them."""
    if card.more.get("slices"):
        return shared.subgroups(card)
    return (
        Text(
            "The submission has no age, sex or body site. A metadata table (one row per case id) adds "
            "subgroups; the metadata file of the ISIC archive works unchanged.",
            "note",
        ),
    )


def preflight(card: ScoreCard) -> tuple[Block, ...]:
    """Return blocks with what the official scorer says about the files, and with checks of whether the
    numbers can be trusted."""
    to_fix = [f"**{f.code}** {markdown(f.message, SENTENCE)}" for f in card_summary.to_fix(card)]
    return (
        *_sanity(card),
        SideBySide(
            (
                (
                    Text(
                        "\n\n".join(_official(card)), question="Would the official scorer accept these files?"
                    ),
                ),
                (
                    Text(
                        "\n\n".join(to_fix) or "The files need no changes.",
                        question="Which changes does the official scorer need?",
                    ),
                ),
            ),
            (1, 1),
        ),
    )


def _sanity(card: ScoreCard) -> tuple[Facts, Text]:
    swap = next((f for f in card.findings if f.code == "columns-may-be-swapped"), None)
    guess, validation = card_summary.chance(card), card.metrics["validation_score"]
    facts = (
        Fact("Score", share(card.score), span(card.intervals.get("score"), 3), better="higher"),
        Fact(
            "Validation score",
            share(validation),
            "weights of the score" if validation == card.score else "weights: validation_weight",
            "After an upload, the challenge site shows this score of about 100 of its own images, so that "
            "teams notice mistakes in their files",
            "higher",
        ),
        *([_guessing(guess, "labels at random")] if guess else []),
        Fact("Columns", "▲ may be swapped" if swap else "not swapped"),
    )
    advice = (
        f":orange-badge[▲ look here] {markdown(swap.message, SENTENCE)}"
        if swap
        else (
            "No exchange of columns would raise balanced accuracy by 0.2 or more. The challenge site "
            "states “about 0.3” for guessing; that value belongs to the site's own subset of images."
        )
    )
    return Facts(facts, "Are the numbers plausible?"), Text(advice)


def _official(card: ScoreCard) -> list[str]:
    message, absent = card.more["official_check"]["message"], card_summary.absent(card)
    lines = [
        f"It would **refuse the files** and report only: “{markdown(message, SENTENCE)}”"
        if message
        else "It **accepts both files**."
    ]
    if absent:
        names = ", ".join(map(markdown, absent))
        lines.append(f"It then **stops with an error**, because the truth has no case of {names}.")
    if any(finding.code == "weights-out-of-order" for finding in card.findings):
        lines.append(
            "It would apply the weights to **other rows**: see the findings for the number that it prints."
        )
    return lines
