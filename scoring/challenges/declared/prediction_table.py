"""Tables of predictions of a declared challenge, as its file names their columns."""

from collections.abc import Sequence

from scoring.challenges.declared.declaration import Declaration
from scoring.common.text import csv_text
from scoring.core.submission import NamedCases, Predictions


def prediction_table(
    declaration: Declaration, cases: NamedCases | Sequence[str], predictions: Predictions
) -> str:
    """Return predictions as CSV, unrounded, with a row for each case that has one.

    Args:
        cases: The N cases, or their ids.
        predictions: Outputs by class [N, C], or a number each [N, 1], and class numbers [N].
    """
    wanted, classes = declaration.predictions, declaration.classes
    ids = cases if isinstance(cases, Sequence) else cases.ids
    outputs, columns = predictions.outputs, dict[str, Sequence[object]]()
    has = predictions.has_outputs
    if wanted.label:
        has = predictions.labels >= 0
        columns[wanted.label] = [classes[k] for k in predictions.labels.tolist()]
    if wanted.scores:
        columns |= dict(zip(classes, outputs.T.tolist(), strict=True))
    if wanted.score:
        columns[wanted.score] = outputs[:, classes.index(str(declaration.positive))].tolist()
    for number in filter(None, (wanted.value, wanted.risk)):
        columns[number] = outputs[:, 0].tolist()
    rows = zip(ids, *columns.values(), strict=True)
    there = zip(rows, has.tolist(), strict=True)
    return csv_text([wanted.case, *columns], (row for row, is_there in there if is_there))
