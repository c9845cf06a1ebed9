"""Blocks hold the numbers of the card, and every one of them can be drawn."""

import numpy as np
import pytest

from scoring import load_challenge
from scoring.challenges import samples
from scoring.challenges.isic import card_summary, thresholds
from scoring.challenges.isic.category_views import COLUMNS, MEAN_OF, malignant, scores
from scoring.challenges.isic.views import views
from scoring.core.views import Choice, Facts, Figure, SideBySide, Table, Text
from scoring.presentation import html
from scoring.presentation.figures.number_format import share, span
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.support import category_tables
from tests.support.category_tables import CATEGORIES, IDS, LABELS
from tests.support.html_reader import read
from tests.support.lesion_tables import table

ISIC = load_challenge("isic")
SAMPLE = samples.test_sets("isic")["isic2019"]
HOSTILE = "<b>[go](http:x)</b>"


def score(truth, predictions, resamples=20, **options):
    cases = ISIC.read_truth(truth)
    return ISIC.score(cases, ISIC.read_predictions(predictions, cases), resamples=resamples, **options)


@pytest.fixture(scope="module")
def card():
    """Lyra never gives SCC more than 0.5."""
    return score(SAMPLE.path, SAMPLE.submissions["lyra"].path, metadata=SAMPLE.metadata)


def blocks(entries):
    """All blocks, those within others too."""
    for entry in entries:
        yield entry
        if isinstance(entry, SideBySide):
            for column in entry.columns:
                yield from blocks(column)
        elif isinstance(entry, Choice):
            yield from blocks(entry.options.values())


def of_section(card, name, kind):
    return [b for b in blocks(views(card).section(name).blocks) if isinstance(b, kind)]


def fact(facts, name):
    return next(entry for entry in facts if entry.name == name)


@pytest.mark.parametrize("metric", [None, "auc", "ap", "dice"])
def test_the_headline_is_the_score_with_its_arithmetic(card, metric):
    card = score(SAMPLE.path, SAMPLE.submissions["lyra"].path, metric=metric)
    head, (name, measure) = views(card).headline, card_summary.ranking(card)
    assert (head.score.value, head.score.below) == (share(card.score), span(card.intervals["score"], 3))
    whose = "equal to the official number in every digit" if metric is None else "not the official number"
    words = head.strip.caption
    assert f"**{card.score!r}**, {whose}" in words
    summands = words[1 : words.index(")")].split(" + ")
    assert summands == [f"{entry[measure]:.3f}" for entry in card.per_class.values()]
    (drawn,) = (trace for trace in head.strip.build(DARK).data if trace.name == "value")
    many = [entry for entry in card.per_class.values() if entry["support"] >= 15]
    assert list(drawn.x) == [entry[measure] for entry in many]
    for key, words in (("balanced_accuracy", "Balanced accuracy"), ("macro_f1", "Macro F1")):
        shown = [entry.value for entry in head.facts if entry.name == words]
        assert shown == ([] if key == name else [share(card.metrics[key])])
    assert fact(head.facts, "Mean AUC").value == share(card.metrics["mean_auc"])
    assert fact(head.facts, "Smallest category").value == "6"
    guess = [(entry.value, entry.below) for entry in head.facts if entry.name == "Guessing gives"]
    assert guess == {"balanced_accuracy": [("0.111", "1/9")], "macro_auc": [("0.500", "")]}.get(name, [])


def test_the_categories_hold_every_measure_and_mean(card):
    (found,) = of_section(card, "Categories", Table)
    names = [*card.per_class, "mean"]
    assert found.rows["category"] == names
    for measure, column in COLUMNS.items():
        values = [entry[measure] for entry in card.per_class.values()]
        mean = card.metrics[MEAN_OF[measure]]
        if column.kind == "number":
            assert found.rows[measure] == [*values, mean]
        else:
            assert [cell.split()[-1] for cell in found.rows[measure]] == list(map(share, [*values, mean]))
    assert found.rows["ppv"][names.index("SCC")] == "by rule 1.000"
    assert found.rows["ppv"][-1].startswith("part by rule ")
    assert found.rows["n"][names.index("UNK")] == "6*"
    assert found.rows["recall_interval"][-1] == card.intervals["balanced_accuracy"]
    assert found.rows["auc_interval"][0] == card.per_class["MEL"]["auc_interval"]
    assert found.risks == dict.fromkeys(("MEL", "BCC", "AK", "SCC"), "malignant")


def test_points_add_up_to_what_the_score_lacks(card):
    (lost,), (worth,) = of_section(card, "Points", Figure), of_section(card, "Points", Table)
    assert sum(lost.data["points lost"]) == pytest.approx(100 * (1 - card.score))
    assert lost.data["points lost"] == sorted(lost.data["points lost"], reverse=True)
    assert dict(zip(lost.data["category"], lost.data["recall"], strict=True)) == {
        name: entry["recall"] for name, entry in card.per_class.items()
    }
    expected = {name: 100 * value for name, value in card_summary.case_worth(card).items()}
    assert dict(zip(worth.rows["category"], worth.rows["case"], strict=True)) == expected


def test_where_no_case_has_a_worth_it_says_so():
    card = score(SAMPLE.path, SAMPLE.submissions["lyra"].path, metric="dice")
    (words,) = of_section(card, "Points", Text)
    assert words.question == "How much does one correct case add to the score?"
    assert "macro F1" in words.text


def test_the_matrix_holds_the_counts_and_each_cell_its_truth_and_call(card):
    (cells,) = of_section(card, "Confusion", Choice)
    for figure in cells.options.values():
        _, *columns = figure.data.values()
        assert np.transpose(columns).tolist() == card.confusion_matrix["counts"]
        drawn = [tuple(point) for trace in figure.build(LIGHT).data for point in trace.customdata or ()]
        labels = card.confusion_matrix["labels"]
        assert drawn == [(truth, called) for truth in labels for called in labels]


def test_curves_hold_the_points_of_every_category(card):
    roc, precision = of_section(card, "Curves", Figure)
    for figure, x, y, arrays in (
        (roc, "1 - specificity", "sensitivity", ("roc_x", "roc_y")),
        (precision, "recall", "precision", ("roc_y", "pr_precision")),
    ):
        names = np.array(figure.data["category"])
        for k, name in enumerate(card.per_class):
            drawn = np.isfinite(card.arrays[arrays[0]][k]) & np.isfinite(card.arrays[arrays[1]][k])
            for column, array in zip((x, y), arrays, strict=True):
                assert np.array(figure.data[column])[names == name].tolist() == (
                    card.arrays[array][k][drawn].tolist()
                )


@pytest.mark.parametrize("chosen", [["MEL"], ["MEL", "UNK"], ["NV", "DF"], []])
def test_another_malignant_grouping_has_the_auc_of_the_scorer(card, chosen):
    facts, _, curve = malignant(card, chosen)
    auc = fact(facts.facts, "Malignant AUC")
    assert auc.below == "your grouping"
    if chosen:
        path = SAMPLE.submissions["lyra"].path
        expected = score(SAMPLE.path, path, resamples=0, malignant=chosen).metrics["malignant_auc"]
        assert auc.value == share(expected)
    assert fact(facts.facts, "By the usual grouping").value == share(card.metrics["malignant_auc"])
    ill, well = card_summary.prevalence(card, chosen)
    assert fact(facts.facts, "Cases").value == f"{ill} and {well}"
    assert f"n = {ill + well}" in curve.caption


def test_the_usual_grouping_has_its_interval(card):
    (facts,) = of_section(card, "Malignant", Facts)
    assert fact(facts.facts, "Malignant AUC").below == span(card.intervals["malignant_auc"], 3)
    assert len(facts.facts) == 2


def test_subgroups_are_shown_or_what_they_need(card):
    assert len(of_section(card, "Subgroups", Figure)) == 2
    unknown = score(category_tables.truth(), category_tables.predictions())
    (words,) = of_section(unknown, "Subgroups", Text)
    assert words.text.startswith("The submission has no age")


def test_preflight_says_what_the_official_scorer_would(card):
    assert "It **accepts both files**." in [text.text for text in of_section(card, "Preflight", Text)]
    odd = category_tables.predictions().replace(b",", b";")
    refused = score(category_tables.truth(), odd)
    lines = "\n".join(text.text for text in of_section(refused, "Preflight", Text))
    assert "It would **refuse the files**" in lines
    assert "**delimiter** " in lines
    assert "not the official number" in views(refused).headline.strip.caption


def test_absent_categories_are_told_beside_the_score_and_in_preflight():
    labels = tuple("MEL" if label == "NV" else label for label in LABELS)
    card = score(category_tables.truth(labels=labels), category_tables.predictions(labels=labels))
    head = views(card).headline
    assert "NV: left out of every mean" in head.notes[0].text
    assert "not the official number" in head.strip.caption
    assert any("no case of NV" in text.text for text in of_section(card, "Preflight", Text))
    (found,) = of_section(card, "Categories", Table)
    assert found.rows["n"][1] == "0, absent"


def test_thresholds_give_what_the_scorer_gives(card):
    chosen = dict.fromkeys(card.per_class, 0.5) | {"MEL": 0.2, "SCC": 0.1}
    facts, found = thresholds.table_at(card, chosen)
    expected = thresholds.at(card, chosen)
    assert facts.facts[0].value == share(expected["macro_f1"])
    assert facts.facts[1].value == share(expected["balanced_accuracy"])
    assert found.rows["threshold"] == list(chosen.values())
    for measure in thresholds.SHOWN:
        assert found.rows[measure] == [entry[measure] for entry in expected["per_class"].values()]
    figure = thresholds.sweep_blocks(card, thresholds.sweep(card, "SCC"), "SCC", 0.1)
    assert figure.data["f1"] == thresholds.sweep(card, "SCC")["f1"].tolist()
    assert figure.build(DARK).layout.meta["question"] == "What does the threshold of SCC change?"


def test_tuning_is_told_with_what_it_gives_on_new_cases(card):
    facts, words = thresholds.tuning(card)
    found = thresholds.compared(card)
    assert [entry.value for entry in facts.facts] == [
        share(found[name]) for name in ("half", "cross_validated", "same_rows")
    ]
    assert "on new cases" in words.text
    files = (kind(IDS[:4], LABELS[:4]) for kind in (category_tables.truth, category_tables.predictions))
    (alone,) = thresholds.tuning(score(*files))
    assert alone.facts[1].below == "needs at least five units"


def test_a_case_shows_its_scores(card):
    figure = scores(card, 7)
    assert figure.data["score"] == card.arrays["outputs"][7].tolist()
    assert f"Truth: {card.cases[7]['truth']}." in figure.caption


def test_names_that_would_be_markup_are_text_in_the_report():
    labels = tuple(HOSTILE if label == "MEL" else label for label in LABELS)
    categories = (HOSTILE, *CATEGORIES[1:])
    ids = (f"{HOSTILE}1", *IDS[1:])
    card = score(
        category_tables.truth(ids, labels, categories), category_tables.predictions(ids, labels, categories)
    )
    text = html.html(card)
    reader = read(text)
    assert reader.balanced
    assert HOSTILE in " ".join(reader.words)
    assert "<b>[go" not in text
    assert "<script" not in text
    assert not [1 for _, attributes in reader.elements if "http:x" in attributes.get("href", "")]


def test_scores_that_no_threshold_divides_have_views():
    rows = [[name, 0.4, 0.45, 0.15] for name in IDS]
    card = score(category_tables.truth(), table(("image", *CATEGORIES), *rows))
    (found,) = of_section(card, "Categories", Table)
    assert found.rows["ppv"] == ["by rule 1.000"] * 3 + ["part by rule 1.000"]
