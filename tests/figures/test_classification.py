import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.figures.calibration import reliability
from scoring.figures.confusion import MatrixStyle, confusion_matrix, matrix, risk_matrix
from scoring.figures.curves import Curve, precision_recall_panel, roc_panel
from scoring.figures.intervals import Row, intervals, slice_rows
from scoring.figures.outputs import Sweep, output_bars, setting_dots, spread, sweep_lines
from scoring.figures.score_points import Part, points_lost, score_strip
from scoring.figures.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
HOSTILE = "<a href='https://example.org'>MEL</a>"


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def words(figure):
    return [a.text for a in figure.layout.annotations]


def risks(card):
    return {name: entry["risk"] for name, entry in card.per_class.items()}


def parts(card):
    weights = {"accuracy": 45, "weighted_f1": 45, "efficiency_score": 10}
    return [Part(name, name[:3], weight, round(card.metrics[name], 6)) for name, weight in weights.items()]


def every_figure(card, theme):
    """One of each builder, from a card."""
    labels, known, outputs = card.confusion_matrix["labels"], risks(card), card.arrays["outputs"]
    grid, low, high = (card.arrays[f"roc_{k}"] for k in ("grid", "low", "high"))
    bins = [card.arrays[f"reliability_{k}"] for k in ("predicted", "observed", "low", "high", "n")]
    yield score_strip(
        parts(card), theme, [100 * v for v in card.intervals["score"]], 100 * card.more["best_possible_score"]
    )
    yield points_lost(card.per_class, theme)
    yield risk_matrix(card.more["risk_matrix"]["counts"], card.more["risk_matrix"]["labels"], theme)
    yield confusion_matrix(card.confusion_matrix["counts"], labels, theme, known)
    band = (grid, low[7], high[7])
    yield roc_panel(Curve("MEL", grid, card.arrays["roc_sensitivity"][7], "malignant", band), theme)
    precision = Curve("MEL", grid, card.arrays["pr_precision"][7], "malignant")
    yield precision_recall_panel(precision, 0.13, theme)
    yield reliability(*bins, theme)
    yield intervals(slice_rows(card.more["slices"], "accuracy"), theme, "Which patients?", "accuracy")
    yield output_bars(outputs[0], labels, theme, known, "NV")
    ages = Sweep([20, 50, 80], outputs[:3], labels, 50, known)
    yield sweep_lines(ages, theme, "Another age?", "age in years")
    yield setting_dots(
        Sweep(["male", "female"], outputs[:2], labels, "male", known), theme, "Another gender?"
    )


@THEMES
def test_every_figure_asks_its_question_and_has_room(card, theme):
    for figure in every_figure(card, theme):
        assert figure.layout.meta["question"].endswith("?")
        assert figure.layout.height >= 100
        assert figure.layout.title.text is None


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
        Part("accuracy", "acc.", 45, 0.8),
        Part("weighted F1", "wF1", 45, 0.82),
        Part("efficiency", "eff.", 10, 1),
    )
    figure = score_strip([accuracy, weighted, size], LIGHT)
    assert words(figure) == [
        "<b>36.00</b>",
        "accuracy",
        "<b>36.90</b>",
        "weighted F1",
        "<b>10.00</b>",
        "eff.",
        "<b>−9.0</b>",
        "lost",
        "<b>−8.1</b>",
        "lost",
    ]


def test_an_undefined_part_wins_nothing():
    figure = score_strip([Part("a", "a", 60, None), Part("b", "b", 40, 1.0)], LIGHT)
    assert trace(figure, "score").x == (40,)
    assert trace(figure, "a lost").x == (60,)


@pytest.mark.parametrize(("end", "named"), [(70.0, True), (85.0, True), (99.0, False)])
def test_the_interval_and_the_ceiling_are_drawn_where_they_are(end, named):
    figure = score_strip([Part("a", "a", 100, 0.6)], LIGHT, [50.0, end], 100.0)
    assert list(trace(figure, "interval").x) == [50.0, end]
    assert "95% interval" in words(figure)
    assert ("ceiling" in words(figure)) is named
    assert any(t.hovertext == "ceiling 100.00: the score with every case right" for t in figure.data)


@pytest.mark.parametrize(
    ("interval", "ceiling", "named"),
    [([12.0, 24.0], 57.0, False), ([12.0, 24.0], 90.0, True), ([40.0, 55.0], 60.0, True)],
)
def test_the_interval_is_named_only_where_a_phone_has_room_beside_the_ceiling(interval, ceiling, named):
    figure = score_strip([Part("a", "a", 100, 0.2)], LIGHT, interval, ceiling)
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


@pytest.mark.parametrize("show", ["counts", "shares", "both"])
def test_confusion_matrix_shows_each_count_and_share_of_its_row(card, show):
    labels, counts = card.confusion_matrix["labels"], np.array(card.confusion_matrix["counts"])
    figure = confusion_matrix(counts, labels, LIGHT, risks(card), show)
    order = sorted(range(11), key=lambda i: ("malignant", "medium", "benign").index(risks(card)[labels[i]]))
    cells = {(a.y, a.x): a.text for a in figure.layout.annotations}
    for i, j in np.ndindex(11, 11):
        n, row = counts[order[i], order[j]], counts[order[i]].sum()
        expected = {
            "counts": f"<b>{n}</b>",
            "shares": f"<b>{100 * n / row:.0f}%</b>",
            "both": f"<b>{n}</b><br>{100 * n / row:.0f}%",
        }[show]
        assert cells.get((i, j)) == (expected if n else None)
        assert figure.data[0].z[i][j] == pytest.approx(n / row)
    assert [text.split()[0] for text in figure.layout.yaxis.ticktext] == [labels[i] for i in order]


def test_confusion_matrix_without_risk_groups_keeps_the_order_and_draws_no_lines(card):
    figure = confusion_matrix(card.confusion_matrix["counts"], card.confusion_matrix["labels"], LIGHT)
    assert list(figure.layout.yaxis.ticktext) == list(card.confusion_matrix["labels"])
    assert len(figure.layout.shapes) == 0


def test_lines_part_the_risk_groups(card):
    figure = confusion_matrix(
        card.confusion_matrix["counts"], card.confusion_matrix["labels"], LIGHT, risks(card)
    )
    assert sorted(shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1) == [3.5, 6.5]


@THEMES
def test_risk_matrix_outlines_malignant_called_benign(card, theme):
    groups = card.more["risk_matrix"]
    figure = risk_matrix(groups["counts"], groups["labels"], theme)
    (frame,) = figure.layout.shapes
    assert ((frame.y0 + frame.y1) / 2, (frame.x0 + frame.x1) / 2) == (0, 2)
    assert any(text.startswith(f"<b>{groups['counts'][0][2]}</b>") for text in words(figure))


def test_a_row_without_cases_is_blank_and_no_error():
    figure = matrix([[0, 0], [1, 3]], ["a", "b"], {}, MatrixStyle("Which?", 200), LIGHT).figure()
    assert words(figure) == ["<b>1</b>", "<b>3</b>"]


def test_no_harm_is_said():
    figure = risk_matrix([[5, 0, 0], [0, 5, 0], [0, 0, 5]], ["malignant", "medium", "benign"], LIGHT)
    assert [(a.y, a.x) for a in figure.layout.annotations if a.text.startswith("<b>0</b>")] == [(0, 2)]


def test_curves_are_drawn_as_given_with_band_and_reference(card):
    grid, k = card.arrays["roc_grid"], 7
    band = grid, card.arrays["roc_low"][k], card.arrays["roc_high"][k]
    curve = Curve("MEL", grid, card.arrays["roc_sensitivity"][k], "malignant", band)
    figure = roc_panel(curve, LIGHT)
    assert list(trace(figure, "sensitivity").y) == list(card.arrays["roc_sensitivity"][k])
    assert list(trace(figure, "chance").y) == [0, 1]
    assert list(trace(figure, "95% band").y) == [*band[2], *band[1][::-1]]
    guessing = trace(precision_recall_panel(Curve("MEL", grid, grid), 0.13, DARK), "guessing")
    assert list(guessing.y) == [0.13, 0.13]


def test_a_band_leaves_out_what_is_undefined():
    grid = np.array([0.0, 0.5, 1.0])
    band = (grid, np.array([np.nan, 0.2, 0.5]), np.array([0.1, 0.6, 1.0]))
    figure = roc_panel(Curve("MEL", grid, grid, None, band), LIGHT)
    assert list(trace(figure, "95% band").x) == [0.5, 1.0, 1.0, 0.5]


@THEMES
def test_reliability_shows_the_bins_and_their_counts(card, theme):
    predicted, observed, low, high, n = (
        card.arrays[f"reliability_{k}"] for k in ("predicted", "observed", "low", "high", "n")
    )
    figure = reliability(predicted, observed, low, high, n, theme)
    np.testing.assert_array_equal(trace(figure, "bins").x, predicted)
    np.testing.assert_array_equal(trace(figure, "bins").y, observed)
    np.testing.assert_allclose(trace(figure, "bins").y + trace(figure, "bins").error_y.array, high)
    assert list(trace(figure, "n").text) == [str(int(k)) if k else "" for k in n]
    assert sum(n) == card.n_cases


def test_reliability_without_any_case_is_an_empty_figure():
    nothing = np.full(10, np.nan)
    figure = reliability(nothing, nothing, nothing, nothing, np.zeros(10), LIGHT)
    assert list(trace(figure, "n").text) == [""] * 10


ROWS = [
    Row("all", 0.5, (0.4, 0.6), 300),
    Row("few", 0.2, (0.0, 0.7), 14),
    Row("none", None, None, 0),
    Row("bare", 0.3),
]


@THEMES
def test_intervals_grey_small_groups_and_leave_out_the_undefined(theme):
    figure = intervals(ROWS, theme, "Which?", "accuracy", reference=0.45, tied=2)
    large, small = trace(figure, "value"), trace(figure, "fewer than 15 cases")
    assert (list(large.y), list(small.y)) == ([0, 3], [1])
    assert (list(large.x), list(small.x)) == ([0.5, 0.3], [0.2])
    assert large.error_x.array[0] == pytest.approx(0.1)
    assert np.isnan(large.error_x.array[1])
    assert small.marker.color[0] == theme.paper
    assert words(figure) == ["n = 300", "n = 14*", "n = 0*, undefined"]
    assert list(figure.layout.yaxis.ticktext) == ["all", "few", "none", "bare"]
    assert len(figure.layout.shapes) == 2


def test_hollow_means_not_told_apart():
    rows = [Row("a", 1.0, (0.5, 1.5), apart=True), Row("b", 0.1, (-0.5, 0.7), apart=False)]
    dots = trace(intervals(rows, LIGHT, "Real?", "points"), "value")
    assert list(dots.marker.color) == [LIGHT.accent, LIGHT.paper]


def test_slice_rows_are_the_cards_with_unknown_last(card):
    rows = slice_rows(
        {"age": {"unknown": {"n": 2, "accuracy": 0.5}, "0-29": {"n": 7, "accuracy": 1.0}}}, "accuracy"
    )
    assert [(row.name, row.value, row.n, row.interval) for row in rows] == [
        ("age 0-29", 1.0, 7, None),
        ("age unknown", 0.5, 2, None),
    ]
    assert sum(row.n for row in slice_rows(card.more["slices"], "accuracy")) == 3 * card.n_cases
    rows = slice_rows(card.more["slices"], "malignant_sensitivity")
    assert sum(row.n for row in rows) == 3 * sum(c["truth_risk"] == "malignant" for c in card.cases)
    male = next(row for row in rows if row.name == "gender male")
    assert male.value == card.more["slices"]["gender"]["male"]["malignant_sensitivity"]
    assert list(male.interval) == list(
        card.more["slices"]["gender"]["male"]["malignant_sensitivity_interval"]
    )


@THEMES
def test_output_bars_are_the_raw_outputs_largest_on_top(card, theme):
    case = card.cases[0]
    figure = output_bars(case["outputs"], card.confusion_matrix["labels"], theme, risks(card), case["truth"])
    assert list(trace(figure, "output").x) == sorted(case["outputs"])
    assert [text for text in words(figure) if "truth" in text] == [f"{case['truth_score']:.3f} <b>truth</b>"]


def test_softmax_is_called_what_it_is(card):
    figure = output_bars([-2.0, 0.0, 3.0], ["a", "b", "c"], LIGHT, normalised=True)
    powers = [np.exp(v) for v in (-2.0, 0.0, 3.0)]
    assert list(trace(figure, "output").x) == pytest.approx([power / sum(powers) for power in powers])
    assert "not in the score" in figure.layout.xaxis.title.text


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_labels_keep_their_order_their_distance_and_their_room(values):
    placed = spread(values, 0.2, 0.0, 1.0)
    order = np.argsort(values, kind="stable")
    assert all(np.diff(np.array(placed)[order]) >= 0.2 - 1e-9)
    assert max(placed) <= 1 + 1e-9
    assert min(placed) >= -1e-9


def test_sweeps_draw_every_class_and_name_four():
    outputs = np.linspace(0, 1, 33).reshape(3, 11)
    names = [f"c{k}" for k in range(11)]
    sweep = Sweep([20, 50, 80], outputs, names, 50)
    figure = sweep_lines(sweep, LIGHT, "What would another age change?", "age in years")
    assert {t.name: list(t.y) for t in figure.data} == {
        name: list(outputs[:, k]) for k, name in enumerate(names)
    }
    assert len(words(figure)) == 4
    assert [shape.x0 for shape in figure.layout.shapes] == [50]
    named = [t.marker.color for t in figure.data if t.line.width == 2]
    assert len(set(named)) == 4


def test_settings_are_rows_and_the_cases_own_is_bold():
    sweep = Sweep(["male", "female"], np.array([[0.1, 0.9], [0.3, 0.7]]), ["a", "b"], "female")
    figure = setting_dots(sweep, DARK, "What?")
    assert list(figure.layout.yaxis.ticktext) == ["male", "<b>female</b>"]
    assert {t.name: list(t.x) for t in figure.data} == {"a": [0.1, 0.3], "b": [0.9, 0.7]}


def test_constant_outputs_can_be_drawn():
    assert len(sweep_lines(Sweep([1, 2], np.zeros((2, 3)), "abc"), LIGHT, "What?", "x").data) == 3
    assert len(setting_dots(Sweep(["m", "f"], np.zeros((2, 3)), "abc"), LIGHT, "What?").data) == 3
    assert len(output_bars([0, 0], ["a", "b"], LIGHT).data) == 1


def test_names_of_strangers_start_no_element():
    counts = [[2, 1], [0, 3]]
    entry = {"support": 3, "f1": 0.5, "score_worth": 0.5, "score_lost": 0.25}
    shown = [
        matrix(counts, [HOSTILE, "b"], {}, MatrixStyle("Which?", 200), LIGHT).figure(),
        points_lost({HOSTILE: entry, "b": entry}, LIGHT),
        output_bars([0.1, 0.9], [HOSTILE, "b"], LIGHT),
        intervals([Row(HOSTILE, 1.0, (0, 2), 20, HOSTILE)], LIGHT, "Who?", "points"),
        sweep_lines(Sweep([1, 2], np.eye(2), [HOSTILE, "b"]), LIGHT, "What?", "x"),
        setting_dots(Sweep([HOSTILE, "f"], np.eye(2), [HOSTILE, "b"]), LIGHT, "What?"),
        score_strip([Part(HOSTILE, HOSTILE, 100, 0.5)], LIGHT),
    ]
    for figure in shown:
        assert "<a " not in figure.to_json().replace("\\u003c", "<").replace(
            figure.layout.meta["question"], ""
        )
