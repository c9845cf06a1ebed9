import numpy as np
import plotly.graph_objects as go

from scoring.presentation.figures.scores_over_time import Moment, progress
from scoring.presentation.svg.draw_figure import svg
from tests.support.figures import THEMES, trace

MOMENTS = [
    Moment("<b>first</b>", "2026-11-01", 60.0, (55.0, 64.0)),
    Moment("second", "2026-11-02", None),
    Moment("third", "2026-11-03", 70.0, (66.0, 73.0), apart=True, shown=True),
    Moment("fourth", "2026-11-03", 68.0),
]


@THEMES
def test_scores_in_their_order_and_the_best_so_far(theme):
    figure = progress(MOMENTS, theme, ("Did the submissions get better?", "kept on", "points"), 2)
    score, best = trace(figure, "score"), trace(figure, "best so far")
    assert list(best.y) == [60, 60, 70, 70]
    assert np.isnan(score.y[1])
    assert list(score.marker.color) == [theme.paper, theme.paper, theme.accent, theme.paper]
    assert score.marker.size[2] > score.marker.size[0]
    assert (score.error_y.array[0], score.error_y.arrayminus[0]) == (4, 5)
    assert "<b>first" not in score.hovertext[0]
    assert list(figure.layout.xaxis.ticktext)[-1] == "2026-11-03"
    go.Figure(figure.to_plotly_json())  # Plotly checks it
    assert svg(figure).count("<svg") == 1
