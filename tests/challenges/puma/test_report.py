"""The sections that only the report of PUMA has."""

import base64
import io
import re

import pytest
from PIL import Image

from scoring import report
from scoring.challenges.puma.formula import METRICS, RULES
from scoring.challenges.puma.report import reach_words, reached, sections
from scoring.challenges.puma.view import OBSERVERS, worst_first
from scoring.figures.numerals import decimal
from tests.challenges.puma.drawn import realistic
from tests.support.nuclei_lists import card, nucleus, numbered
from tests.support.payloads import PAYLOADS

QUESTIONS = (
    "How much of what can be reached was reached?",
    "Which classes fail in which images?",
    "Which images are missing or suspicious?",
    "Are there as many of each class as there should be?",
    "Is the share of lymphocytes (TIL) right?",
    "How far is the nearest lymphocyte from a tumour nucleus?",
    "Where are the errors of the worst images?",
)


def scored(images: int = 6, missing: int = 2, **options):
    true, found = realistic(5, images=images, nuclei=30)
    return card(numbered(true), dict(list(numbered(found).items())[: images - missing]), **options)


def test_the_report_answers_its_own_questions():
    said = report.html(scored())
    places = [said.index(f"<h2>{question}</h2>") for question in QUESTIONS]
    assert places == sorted(places)


def test_the_worst_images_are_shown_as_small_pictures():
    found, said = scored(), report.html(scored())
    pictures = re.findall(
        r'<img src="data:image/png;base64,([^"]+)" alt="Nuclei of ([^:]+): '
        r"(\d+) found, (\d+) spurious, (\d+) missed",
        said,
    )
    worst = [row for row in (found.cases[i] for i in worst_first(found)) if not row["missing"]][:3]
    assert [(name, *map(int, counts)) for _, name, *counts in pictures] == [
        (r["case"], r["tp"], r["fp"], r["fn"]) for r in worst
    ]
    for data, *_ in pictures:
        png = base64.b64decode(data)
        assert len(png) < 40_000
        assert Image.open(io.BytesIO(png)).size[0] == 440


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
        assert decimal(one["f1"], 3) in reach_words()


def test_missing_images_are_listed():
    found = scored(images=40, missing=35)
    said = "".join(sections(found, lambda build, caption: ""))
    assert said.count(": missing</li>") == 30
    assert "and 5 more" in said


def test_next_to_nothing_makes_a_report():
    said = report.html(card({"a": [nucleus("tumor", 1, 1)], "b": []}, {"b": []}))
    assert "Where are the errors of the worst images?" in said


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_of_cases_are_text(payload):
    case = " ".join(payload.split()).replace("/", "∕").replace("\u202e", "").replace("\u200b", "")
    true, found = realistic(5, images=1, nuclei=20)
    said = "".join(sections(card({case: true[0], "b": true[0]}, {"b": found[0]}), lambda build, caption: ""))
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z0-9]+)", said))
    assert tags <= {"h2", "ul", "li", "p", "figure", "img", "figcaption"}
    assert said.count("<img") == said.count("data:image/png") == 1
