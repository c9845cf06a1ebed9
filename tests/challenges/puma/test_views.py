"""What page and report show of a PUMA scorecard: its numbers, its words, and names as text."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from scoring.challenges.puma import diagnostics, setting_views
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.detail_views import distance_table, lymphocyte_shares
from scoring.challenges.puma.diagnostics import along_confidence, along_radius, suspicious_signs
from scoring.challenges.puma.formula import METRICS, RULES
from scoring.challenges.puma.image_views import class_heat, images, images_table, worst_first
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.setting_views import MatchingSetting
from scoring.challenges.puma.views import (
    OBSERVERS,
    classes_table,
    detection_facts,
    headline,
    observers_in_words,
    reached,
    views,
)
from scoring.core.views import Figure, Gallery, SideBySide, Table
from scoring.presentation import html
from scoring.presentation.figures.number_format import decimal, share, span
from scoring.presentation.figures.theme import LIGHT
from scoring.presentation.html import report_blocks
from scoring.presentation.html.page_template import Figures
from tests.challenges.puma.drawn import realistic
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import CHALLENGE, card, nucleus, numbered
from tests.support.payloads import PAYLOADS

QUESTIONS = (
    "How close is the score to the best possible score?",
    "How well is each class predicted?",
    "How well are nuclei found?",
    "Which classes are confused, which nuclei are missed, and which do not exist?",
    "Which classes fail in which images?",
    "Which images are missing or suspicious?",
    "Where are the errors of the worst images?",
    "Does the number of nuclei of each class match the truth?",
    "Is the share of lymphocytes (TIL) correct?",
    "How far is the nearest lymphocyte from a tumour nucleus?",
    "How far are tumour nuclei from lymphocytes in each image?",
)


def scored(images: int = 6, missing: int = 2, **options):
    true, found = realistic(5, images=images, nuclei=30)
    return card(numbered(true), dict(list(numbered(found).items())[: images - missing]), **options)


def flat(entries):
    """All blocks, those side by side one after the other."""
    for block in entries:
        if isinstance(block, SideBySide):
            for column in block.columns:
                yield from flat(column)
        else:
            yield block


def test_the_report_answers_its_questions_in_order():
    written = html.html(scored())
    in_front = [question for question in QUESTIONS if f"<h2>{question}</h2>" in written]
    places = [written.index(f"<h3>{question}</h3>") for question in QUESTIONS if question not in in_front]
    assert places == sorted(places)
    assert len(in_front) == 3
    assert max(written.index(f"<h2>{question}</h2>") for question in in_front) < places[0]


@pytest.mark.parametrize("rules", RULES)
def test_the_headline_holds_the_three_macro_f1s_with_what_they_can_reach(rules):
    found = scored(rules=rules, resamples=20)
    shown = headline(found)
    assert (shown.score.value, shown.score.below) == (share(found.score), span(found.intervals["score"], 3))
    assert shown.facts[0].value == share(found.metrics[f"best_possible_{METRICS[rules]}"])
    others = [rule for rule in RULES if rule != rules]
    for fact, rule in zip(shown.facts[1:], others, strict=True):
        assert fact.value == share(found.metrics[METRICS[rule]])
        assert fact.below.startswith(f"of {share(found.metrics[f'best_possible_{METRICS[rule]}'])}; ")
    assert f"**{found.score!r}**" in shown.strip.caption


@pytest.mark.parametrize("rules", RULES)
def test_scores_stand_beside_what_they_can_reach_and_observers_beside_no_macro_f1(rules):
    found = scored(rules=rules, resamples=20)
    rows = reached(found)
    assert rows[0].value == found.score
    assert rows[0].chosen
    assert [row.value for row in rows[3:]] == [found.metrics["micro_f1"], found.more["detection"]["f1"]]
    assert {row.value: row.best for row in rows[:3]} == {
        found.metrics[name]: found.metrics[f"best_possible_{name}"] for name in METRICS.values()
    }
    assert [len(row.marks) for row in rows] == [0, 0, 0, 2, 2]
    assert rows[0].interval == found.intervals["score"]
    for one in OBSERVERS.values():
        assert decimal(one["f1"], 3) in observers_in_words()


def test_the_numbers_of_classes_are_those_of_the_card():
    found = scored(resamples=20)
    shown = classes_table(found)
    assert list(shown.rows["class"]) == [name.replace("_", " ") for name in CLASSES]
    for column in shown.columns[1:]:
        assert shown.rows[column.name] == [entry[column.name] for entry in found.per_class.values()]
    facts = {fact.name: fact for fact in detection_facts(found).facts}
    assert facts["Micro recall"].value == share(found.metrics["micro_recall"])
    assert facts["Micro recall"].below == span(found.intervals["micro_recall"], 3)
    assert facts["Detection precision"].value == share(found.more["detection"]["precision"])
    assert facts["Detection precision"].below == "observers 0.803, 0.849"


def test_the_confusion_figure_carries_the_matrix():
    found = scored()
    figure = next(b for b in flat(views(found).section("Classes").blocks) if isinstance(b, Figure))
    names, *columns = figure.data.values()
    assert [*names] == [*CLASSES, "none"]
    assert np.transpose(columns).tolist() == found.confusion_matrix["counts"]


def test_the_worst_image_comes_first():
    true, found = realistic(4, images=5, nuclei=25)
    made = card(numbered([*true, []]), numbered([*found[:3], [], found[4], []]))
    order = worst_first(made)
    assert sorted(order) == list(range(6))
    assert (order[0], order[-1]) == (3, 5)
    f1 = [made.cases[i]["macro_f1"] for i in order[:-1]]
    assert f1 == sorted(f1)
    assert class_heat(made, order[1:3]).data["image"] == [made.cases[i]["case"] for i in order[1:3]]


def test_images_are_listed_worst_first_with_what_is_suspicious():
    found = scored()
    shown, order = images_table(found), worst_first(found)
    for key in ("case", "macro_f1", "micro_f1", "n_truth", "n_predicted", "fp", "fn"):
        assert list(shown.rows[key]) == [found.cases[i][key] for i in order]
    signs = suspicious_signs(found)
    assert list(shown.rows["signs"]) == [", ".join(signs[i]) for i in order]
    assert "2 of 6 images are missing or suspicious" in shown.caption


def test_the_worst_images_are_shown_as_small_pictures():
    found, written = scored(), html.html(scored())
    pictures = re.findall(
        r'<img src="data:image/png;base64,([^"]+)" alt="Nuclei of ([^:]+): '
        r"(\d+) found, (\d+) spurious, (\d+) missed",
        written,
    )
    worst = [row for row in (found.cases[i] for i in worst_first(found)) if not row["missing"]][:3]
    assert [(name, *map(int, counts)) for _, name, *counts in pictures] == [
        (r["case"], r["tp"], r["fp"], r["fn"]) for r in worst
    ]
    for data, *_ in pictures:
        png = base64.b64decode(data)
        assert len(png) < 40_000
        assert Image.open(io.BytesIO(png)).size[0] == 440


def test_missing_images_are_listed():
    shown = next(
        block
        for block in images(scored(images=40, missing=35))
        if isinstance(block, Table) and block.key == "suspicious"
    )
    assert list(shown.rows["signs"]) == ["missing"] * 30
    assert shown.caption == "and 5 more"


def test_no_list_of_suspicious_images_where_there_is_none():
    whole = card(*(numbered([[nucleus("tumor", 1, 1), nucleus("stroma", 40, 40)]]) for _ in range(2)))
    assert [type(block) for block in images(whole)] == [Figure, Gallery]


def test_distances_and_shares_of_lymphocytes_are_those_of_the_card():
    found = scored()
    shown = distance_table(found)
    assert list(shown.rows["image"]) == ["all images", *(row["case"] for row in found.cases)]
    for place, entry in enumerate((found.more, *found.cases)):
        for side in ("truth", "predicted"):
            told = entry[f"tumor_lymphocyte_um_{side}"] or {}
            for key in ("median", *(f"within_{reach}" for reach in diagnostics.NEAR_MICROMETRES)):
                assert shown.rows[f"{key}_{side}"][place] == told.get(key)
    til = lymphocyte_shares(found)
    assert til.data["truth"] == pytest.approx([row["til_share_truth"] for row in found.cases])


def test_another_setting_is_shown_beside_the_rule():
    true, predicted = (numbered(side) for side in realistic(5, images=3, nuclei=30))
    truth = CHALLENGE.read_truth(plain.files(true))
    predictions = CHALLENGE.read_predictions(plain.files(predicted), truth)
    usual = CHALLENGE.score(truth, predictions, resamples=0)
    setting = MatchingSetting(radius=8.0, least=0.3)
    changed = rescore(truth, predictions, usual, radius=8.0, min_confidence=0.3)
    facts = {fact.name: fact for fact in setting_views.setting_facts(usual, changed).facts}
    assert facts["Micro F1"].value == share(changed.metrics["micro_f1"])
    assert facts["Micro F1"].below == f"{share(usual.metrics['micro_f1'])} by the challenge's rule"
    assert facts["Predictions left"].value == f"{changed.metrics['n_predicted']:,}"
    rows = setting_views.setting_table(usual, changed, setting).rows
    assert rows["rule"] == [entry["f1"] for entry in usual.per_class.values()]
    assert rows["here"] == [entry["f1"] for entry in changed.per_class.values()]
    for figure, curve in (
        (setting_views.over_radius, along_radius(changed, 5)),
        (setting_views.over_confidence, along_confidence(changed, 5)),
    ):
        block = figure(changed, curve, setting)
        assert block.data["macro F1"] == curve["y"].tolist()
        assert block.build(LIGHT).layout.meta["question"].startswith("How does the score change with the ")


def test_what_a_setting_changes_is_told():
    assert MatchingSetting().changes == []
    assert MatchingSetting(8.0, 0.25).changes == ["radius 8 px", "confidence from 0.25"]


def test_next_to_nothing_makes_a_report():
    written = html.html(card({"a": [nucleus("tumor", 1, 1)], "b": []}, {"b": []}))
    assert "Where are the errors of the worst images?" in written


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_of_cases_are_text(payload):
    case = " ".join(payload.split()).replace("/", "∕").replace("\u202e", "").replace("\u200b", "")
    true, found = realistic(5, images=1, nuclei=20)
    shown = views(card({case: true[0], "b": true[0]}, {"b": found[0]}))
    written = "".join(report_blocks.sections(shown.sections, Figures(drawn=False)))
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z0-9]+)", written))
    allowed = {
        *("section", "h2", "h3", "p", "figure", "img", "figcaption", "div", "table", "thead", "tbody", "tr"),
        *("th", "td"),
    }
    assert tags <= allowed | {"span", "data", "dl", "dt", "dd", "strong", "br"}
    assert written.count("<img") == written.count("data:image/png") == 1
