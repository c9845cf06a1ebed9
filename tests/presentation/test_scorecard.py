from dataclasses import replace

import numpy as np
import pytest

import scoring
from scoring.common import rendered_markdown
from scoring.common.findings import note, warning
from scoring.core.views import Fact, Headline, Views
from scoring.presentation import html
from scoring.presentation.figures.number_format import decimal, span
from scoring.presentation.html import views_of
from tests.support import blocks, risk_tables
from tests.support.html_reader import read

FRONT = (
    "Where does the score come from?",
    "Where were the points lost?",
    "Which risk groups were confused?",
)
NO_VIEWS = Views(Headline(Fact("Score", "–")), ())
HOSTILE = "</script><script>alert(1)</script><img src=https://example.org/x.png onerror=alert(1)>"


@pytest.fixture(scope="module")
def text(card):
    return html.html(card)


def test_every_element_is_closed(text):
    reader = read(text)
    assert reader.balanced
    assert reader.open == []


def test_nothing_is_fetched(text):
    for tag, attributes in read(text).elements:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base", "form"}
        assert not {"src", "href", "action", "srcset", "poster"} & set(attributes)
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    policy = next(
        a["content"] for tag, a in read(text).elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_the_same_card_gives_the_same_bytes(card, text):
    assert html.html(card) == text


def test_score_interval_arithmetic_and_rule_are_there(card, text):
    words = " ".join(read(text).words)
    low, high = (100 * v for v in card.intervals["score"])
    for wanted in (
        *("53.38", "Score of 100 points", f"95% interval {low:.1f} to {high:.1f}"),
        *("45 × 0.523333 + 45 × 0.492696 + 10 × 0.765432", "0.53375625", "Research use only"),
        *(scoring.load_challenge("tricorder3").words.formula, "n = 300", "97.65"),
    ):
        assert wanted in words


def test_every_number_of_every_class_is_there_and_unrounded(card, text):
    elements = read(text).elements
    values = {attributes["value"] for tag, attributes in elements if tag == "data"}
    words = " ".join(read(text).words)
    for name, entry in card.per_class.items():
        assert name in words
        for key, value in entry.items():
            if isinstance(value, float):
                assert repr(float(value)) in values, (name, key)
                assert decimal(value, 3) in words


def test_counts_slices_and_provenance_are_there(card, text):
    words = read(text).words
    for row in (*card.confusion_matrix["counts"], *card.more["risk_matrix"]["counts"]):
        assert {str(n) for n in row} <= set(words)
    assert card.provenance["truth_sha256"] in words
    assert card.provenance["predictions_sha256"] in words
    assert {group for groups in card.more["slices"].values() for group in groups} <= set(words)


def test_each_figure_is_drawn_once(card, text):
    elements = read(text).elements
    places = [a["id"] for _, a in elements if a.get("id", "").startswith("figure-")]
    drawings = [a["aria-label"] for tag, a in elements if tag == "svg"]
    assert places == [f"figure-{i}" for i in range(len(places))]
    assert len(places) == len(drawings) == 7 + 2 * 11
    assert [drawings.count(question) for question in FRONT] == [1, 1, 1]


def test_a_report_is_light_and_opens_with_score_and_three_figures(text):
    assert len(text.encode()) < 1_000_000
    assert "<script" not in text
    words = read(text).words
    chapter = words.index("Which part can gain the most points?")
    assert all(words.index(question) < chapter for question in FRONT)
    assert words.index("Score of 100 points") < words.index(FRONT[0])
    assert words.index("What was noticed?") > words.index("Where do the numbers come from?")


def test_lines_of_the_caller_stand_on_the_front_page(card):
    words = read(html.html(card, lines=(("Test set", HOSTILE), ("Date", "")))).words
    assert words.index("Test set") + 1 == words.index(HOSTILE)
    assert "Date" not in words


def test_metrics_have_names_that_people_write(text):
    words = read(text).words
    assert words.index("malignant sensitivity") < words.index("malignant_sensitivity")


def test_how_to_cite_is_said(text):
    assert "https://github.com/safe-scan-ai/cancer-ai" in " ".join(read(text).words)


def test_malignant_called_benign_is_listed_first(card, text):
    wrong = [c for c in card.cases if not c["correct"]]
    harmful = [c["case"] for c in wrong if (c["truth_risk"], c["predicted_risk"]) == ("malignant", "benign")]
    listed = [word for word in read(text).words if word in {c["case"] for c in wrong}]
    assert listed[: len(harmful)] == harmful
    assert len(listed) == min(len(wrong), html.CASES)


def test_names_of_strangers_are_text(card):
    cases = tuple({**c, "case": HOSTILE} for c in card.cases)
    per_class = {HOSTILE if name == "MEL" else name: entry for name, entry in card.per_class.items()}
    labels = [HOSTILE if name == "MEL" else name for name in card.confusion_matrix["labels"]]
    hostile = replace(
        card,
        cases=cases,
        per_class=per_class,
        confusion_matrix={**card.confusion_matrix, "labels": labels},
        findings=(warning("extra-case", HOSTILE, HOSTILE), note("row-order", "a", "b")),
        provenance={**card.provenance, HOSTILE: HOSTILE},
    )
    shown = html.html(hostile)
    reader = read(shown)
    assert reader.balanced
    assert "script" not in {tag for tag, _ in reader.elements}
    assert "img" not in {tag for tag, _ in reader.elements}
    assert reader.words.count(HOSTILE) >= 100
    assert "<img" not in shown


def test_a_card_with_little_in_it_is_reported(card):
    bare = replace(
        card,
        score=None,
        metrics={"macro_f1": None},
        per_class={},
        cases=(),
        findings=(),
        confusion_matrix=None,
        intervals={},
        more={},
        arrays={},
    )
    reader = read(html.html(bare, NO_VIEWS))
    assert reader.balanced
    assert {"macro_f1", "–"} <= set(reader.words)
    assert "no score" in " ".join(reader.words)


def test_cases_without_right_or_wrong_are_all_listed(card):
    cases = tuple({"case": f"patient {i}", "dice": 0.5} for i in range(3))
    reader = read(html.html(replace(card, cases=cases), NO_VIEWS))
    assert [word for word in reader.words if word.startswith("patient")] == [
        "patient 0",
        "patient 1",
        "patient 2",
    ]


def test_findings_come_worst_first(card):
    shown = html.html(replace(card, findings=(note("b-note", "x", "y"), warning("a-warning", "x", "y"))))
    words = read(shown).words
    assert words.index("a-warning") < words.index("b-note")


def test_a_yes_or_no_has_one_curve_with_its_own_area():
    dice = np.random.default_rng(0)
    positive = dice.random(60) < 0.4
    card = risk_tables.card(
        positive.tolist(), np.clip(dice.normal(0.3 + 0.3 * positive, 0.2), 0, 1).tolist(), resamples=30
    )
    page = html.html(card)
    for metric, words in (("auc", "AUC"), ("average_precision", "Average precision")):
        interval = span(card.intervals[metric], 3)
        assert page.count(f"{words} {card.metrics[metric]:.3f} ({interval})") == 1
    assert "When the model gives 70%, do 70% have a melanoma?" in page


def test_every_caption_of_the_views_is_in_the_report_once_in_code(card, text):
    words = " ".join(" ".join(read(text).words).split())
    for caption in blocks.captions(views_of(card)):
        assert " ".join(rendered_markdown.plain(caption.removeprefix("- ")).split()) in words


def test_a_notebook_shows_the_score_and_no_script(card):
    hostile = replace(card, findings=(warning("extra-case", HOSTILE, HOSTILE),))
    reader = read(shown := hostile._repr_html_())
    assert reader.balanced
    assert not reader.open
    assert "53.38" in reader.words
    assert HOSTILE in reader.words
    assert [tag for tag, _ in reader.elements if tag in ("script", "img", "style")] == ["style"]
    assert "url" not in shown.partition("</style>")[0]
