import pytest

import scoring
from scoring.presentation.figures.score_points import ScorePart, points_lost, score_strip
from scoring.presentation.figures.theme import LIGHT
from tests.support import category_tables
from tests.support.figures import THEMES, trace, words


def parts(card):
    weights = {"accuracy": 45, "weighted_f1": 45, "efficiency_score": 10}
    return [
        ScorePart(name, name[:3], weight, round(card.metrics[name], 6)) for name, weight in weights.items()
    ]


@THEMES
def test_points_won_add_up_to_the_score_and_all_points_to_100(card, theme):
    figure = score_strip(parts(card), theme, None, None)
    won = [t.x[0] for t in figure.data if t.name.endswith("won")]
    lost = [t.x[0] for t in figure.data if t.name.endswith("lost")]
    assert sum(won) == pytest.approx(100 * card.score, abs=1e-9)
    assert sum(won) + sum(lost) == pytest.approx(100, abs=1e-9)
    assert trace(figure, "score").x[0] == pytest.approx(100 * card.score, abs=1e-9)


def test_what_is_written_on_the_strip_fits_a_phone():
    accuracy, weighted, size = (
        ScorePart("accuracy", "acc.", 45, 0.8),
        ScorePart("weighted F1", "wF1", 45, 0.82),
        ScorePart("efficiency", "eff.", 10, 1),
    )
    figure = score_strip([accuracy, weighted, size], LIGHT)
    assert words(figure) == [
        *("<b>36.00</b>", "accuracy", "<b>36.90</b>", "weighted F1", "<b>10.00</b>", "eff.", "<b>−9.0</b>"),
        *("lost", "<b>−8.1</b>", "lost"),
    ]


def test_an_undefined_part_wins_nothing():
    figure = score_strip([ScorePart("a", "a", 60, None), ScorePart("b", "b", 40, 1.0)], LIGHT)
    assert trace(figure, "score").x == (40,)
    assert trace(figure, "a lost").x == (60,)


@pytest.mark.parametrize(("end", "named"), [(70.0, True), (85.0, True), (99.0, False)])
def test_the_interval_and_the_ceiling_are_drawn_where_they_are(end, named):
    figure = score_strip([ScorePart("a", "a", 100, 0.6)], LIGHT, [50.0, end], 100.0)
    assert list(trace(figure, "interval").x) == [50.0, end]
    assert "95% interval" in words(figure)
    assert ("ceiling" in words(figure)) is named
    assert any(t.hovertext == "ceiling 100.00: score if every case were right" for t in figure.data)


@pytest.mark.parametrize(
    ("interval", "ceiling", "named"),
    [([12.0, 24.0], 57.0, False), ([12.0, 24.0], 90.0, True), ([40.0, 55.0], 60.0, True)],
)
def test_the_interval_is_named_only_where_a_phone_has_room_beside_the_ceiling(interval, ceiling, named):
    figure = score_strip([ScorePart("a", "a", 100, 0.2)], LIGHT, interval, ceiling)
    assert ("95% interval" in words(figure)) is named


@THEMES
def test_points_lost_are_the_cards_largest_on_top(card, theme):
    figure = points_lost(card.per_class, theme)
    lost, worth = trace(figure, "lost"), trace(figure, "worth")
    expected = sorted((100 * entry["score_lost"] for entry in card.per_class.values()), reverse=True)
    assert list(lost.x[::-1]) == pytest.approx(expected)
    assert sum(worth.x) == pytest.approx(45)
    assert [shape for shape in lost.marker.pattern.shape if shape] == []
    assert [name.split()[0] for name in lost.y[::-1]] == sorted(
        card.per_class, key=lambda c: -card.per_class[c]["score_lost"]
    )


def test_what_no_model_can_win_is_hatched_and_said(absent):
    figure = points_lost(absent.per_class, LIGHT)
    lost = trace(figure, "lost")
    hatched = {
        name.split()[0] for name, shape in zip(lost.y, lost.marker.pattern.shape, strict=True) if shape
    }
    assert hatched == {name for name, entry in absent.per_class.items() if entry["support"] == 0}
    assert sum("no case" in text for text in words(figure)) == len(hatched) == 3


def test_losses_of_categories_leave_out_those_that_are_in_no_mean():
    labels = ("MEL", "NV", "NV", "NV", "MEL", "MEL")
    isic = scoring.load_challenge("isic")
    truth = isic.read_truth(category_tables.truth(labels=labels), "truth.csv")
    card = isic.score(truth, isic.read_predictions(category_tables.predictions(), truth), resamples=0)
    figure = points_lost(card.per_class, LIGHT, ("recall", "recall"))
    assert len(figure.data[0].x) == 2
    assert sorted(figure.data[0].x) == pytest.approx([50, 50])
    assert len(figure.layout.xaxis.tickvals) <= 13
