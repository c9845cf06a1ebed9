import json
import re

import numpy as np
import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from scoring.figures import export
from scoring.figures.canvas import Canvas
from scoring.figures.theme import DARK, LIGHT


def drawn(theme, name="a"):
    canvas = Canvas(theme, "Who <wins>?", 120)
    canvas.trace("bar", x=np.arange(3.0), y=[1, 2, 3], name=name)
    return canvas.figure()


@given(st.text() | st.sampled_from(["</script><script>alert(1)</script>", "<!--", "]]>", "\u2028"]))
def test_no_name_ends_the_script_and_all_are_kept(name):
    text = export.script_json(go.Figure(go.Bar(name=name)))
    assert not re.search("[<>]", text)
    assert json.loads(text)["data"][0].get("name") == name


def test_the_same_figures_give_the_same_text():
    first, second = (export.self_contained([(drawn(LIGHT), drawn(DARK))]) for _ in range(2))
    assert first == second


def test_no_figure_needs_no_script():
    assert export.self_contained([]) == ""


def test_a_place_has_its_height_and_its_question_as_alternative_text():
    assert export.place(3, drawn(LIGHT)) == (
        '<div id="figure-3" class="figure" role="img" aria-label="Who &lt;wins&gt;?" '
        'style="height:120px"></div>'
    )
