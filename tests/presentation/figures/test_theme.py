import tomllib
from pathlib import Path

import plotly.io as pio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.presentation.figures import theme
from scoring.presentation.figures.theme import DARK, LIGHT, SHAPES

THEME = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))[
    "theme"
]
THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=lambda colours: colours.name)
HEX = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def ratio(one: str, other: str) -> float:
    """WCAG 2.2, one channel after the other."""
    values = []
    for colour in (one, other):
        total = 0.0
        for channel, weight in zip(theme.channels(colour), (0.2126, 0.7152, 0.0722), strict=True):
            part = channel / 255
            total += weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
        values.append(total)
    return (max(values) + 0.05) / (min(values) + 0.05)


@THEMES
def test_colours_are_those_of_the_theme(colours):
    theme = THEME[colours.name]
    assert (colours.paper, colours.ink, colours.categorical) == (
        theme["backgroundColor"],
        theme["textColor"],
        tuple(theme["chartCategoricalColors"]),
    )
    assert colours.risk == {
        "malignant": theme["redColor"],
        "medium": theme["orangeColor"],
        "benign": theme["greenColor"],
    }
    assert colours.soft == theme["grayTextColor"]


@THEMES
def test_streamlit_needs_ten_categorical_colours_and_they_differ(colours):
    assert len(set(colours.categorical)) == 10


@THEMES
def test_what_is_read_has_contrast(colours):
    assert ratio(colours.ink, colours.paper) >= 7
    assert ratio(colours.soft, colours.paper) >= 4.5
    assert min(ratio(c, colours.paper) for c in (*colours.risk.values(), colours.accent)) >= 3


@THEMES
def test_heat_starts_at_the_page_and_moves_away_from_it(colours):
    shares = [share for share, _ in colours.heat]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert list(theme.channels(colours.heat[0][1])) == list(theme.channels(colours.paper))
    assert ratio(colours.heat[-1][1], colours.paper) > 3


@given(HEX)
def test_words_on_any_colour_can_be_read(colour):
    text = theme.text_on(colour)
    assert ratio(text, colour) >= 4.5
    assert ratio(text, colour) >= max(ratio(other, colour) for other in ("#000000", "#ffffff")) - 1e-9


def test_both_ways_of_writing_a_colour_are_read():
    assert list(theme.channels("#0a5c63")) == list(theme.channels("rgb(10, 92, 99)")) == [10, 92, 99]
    assert theme.faded("#0a5c63", 0.2) == "rgba(10,92,99,0.2)"


@given(st.text())
def test_foreign_text_starts_no_element(text):
    shown = theme.safe(text)
    assert "<" not in shown
    assert ">" not in shown
    assert shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == " ".join(text.split())


@pytest.mark.parametrize("risk", SHAPES)
def test_a_class_never_stands_without_its_shape(risk):
    assert theme.label("MEL", risk) == f"{SHAPES[risk]} MEL"
    for shown in (theme.label("MEL", risk, LIGHT), theme.counted("MEL", 20, risk, DARK)):
        assert SHAPES[risk] in shown
        assert shown.startswith("MEL ")


def test_a_class_without_risk_group_is_its_name():
    assert theme.label("NV") == theme.label("NV", None, LIGHT) == "NV"


@pytest.mark.parametrize(("n", "shown"), [(14, "14*"), (15, "15<"), (0, "0*")])
def test_small_classes_have_a_star(n, shown):
    assert shown in theme.counted("NV", n, "benign", LIGHT)


def test_no_template_is_registered_for_others():
    assert [name for name in pio.templates if "bench" in name] == []


def test_low_figures_keep_room_for_their_axis():
    layout = theme.template(LIGHT)["layout"]
    assert layout["minreducedheight"] <= 30, "of two bars, 90 px high, 60 stay for ticks and title"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("1  borealis", "1 borealis"),
        ("deep_dermatology_ensemble_v2", "deep_dermatology_ensemble_<br>v2"),
        ("University of Somewhere Medical Center", "University of Somewhere<br>Medical Center"),
        ("x" * 60, f"{'x' * 26}<br>{'x' * 25}…"),
        ("a <b> b", "a &lt;b&gt; b"),
    ],
)
def test_a_name_beside_an_axis_is_whole_in_two_lines(name, label):
    assert theme.lined(name) == label
