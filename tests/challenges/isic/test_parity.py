"""Random test sets and odd files through the official scorer itself."""

import numpy as np
import pytest

from scoring import InputRefused, load_challenge
from scoring.challenges.isic.official_float_parsing import as_read_there
from scoring.challenges.isic.official_rejections import message as official_message
from tests.challenges.isic.peer import official, official_numbers
from tests.support import category_tables
from tests.support.category_tables import IDS, random_pair
from tests.support.findings import only
from tests.support.lesion_tables import table
from tests.support.soak import FACTOR

isic = load_challenge("isic")
OFFICIAL_NAMES = {"f1": "dice", "average_precision": "ap"}
MEASURES = (
    *("accuracy", "sensitivity", "specificity", "f1", "ppv", "npv", "auc", "auc_sens_80"),
    "average_precision",
)
TOLERANCE = 5e-15
ON_THE_EDGE = (90, 102)
"""Seeds of weights whose sum up to a case is 0.8 of all, or less by the last digit, as they are added."""


def scored(truth: bytes, predictions: bytes, **options):
    answers = isic.read_truth(truth, "truth.csv")
    return isic.score(
        answers, isic.read_predictions(predictions, answers, "predictions.csv"), resamples=0, **options
    )


def test_random_test_sets_give_the_official_numbers():
    settings = [
        {
            "seed": seed,
            "cases": 20 + 7 * seed,
            "categories": 2 + seed % 7,
            "decimals": (1, 2, 6, 17)[seed % 4],
            "weights": seed % 3 == 0,
        }
        for seed in sorted({*range(9 * FACTOR), *ON_THE_EDGE})
    ]
    pairs = [random_pair(**s) for s in settings]
    metrics = [
        ("balanced_accuracy", "auc", "ap")[i % 3] if i % 2 else "balanced_accuracy" for i in range(len(pairs))
    ]
    for pair, metric, said in zip(
        pairs, metrics, official([(*p, m) for p, m in zip(pairs, metrics, strict=True)]), strict=True
    ):
        card = scored(*pair, metric=metric)
        assert card.score == pytest.approx(said["overall"], abs=TOLERANCE)
        assert card.metrics["validation_score"] == pytest.approx(said["validation"], abs=TOLERANCE)
        for measure in MEASURES:
            name = OFFICIAL_NAMES.get(measure, measure)
            assert {c: row[measure] for c, row in card.per_class.items()} == pytest.approx(
                said["per_category"][name], abs=TOLERANCE
            )
            assert card.metrics[f"macro_{measure}"] == pytest.approx(
                said["macro_average"][name], abs=TOLERANCE
            )


def test_the_figure_of_weights_out_of_order_is_what_the_official_scorer_prints():
    # few cases: the moved weights leave a category of some without a case
    pairs = [random_pair(s, cases=9 if s % 2 else 50, weights=True, shuffled=True) for s in range(18)]
    metrics = [("balanced_accuracy", "auc", "ap")[i % 3] for i in range(len(pairs))]
    for pair, metric, said in zip(
        pairs, metrics, official([(*p, m) for p, m in zip(pairs, metrics, strict=True)]), strict=True
    ):
        if "stopped" in said:
            continue
        message = only(scored(*pair, metric=metric).findings, "weights-out-of-order").message
        printed, validation = (
            message.split("prints ")[1].split(" for this file")[0].removesuffix(")").split(" (validation ")
        )
        assert float(printed) == pytest.approx(said["overall"], abs=TOLERANCE)
        assert float(validation) == pytest.approx(said["validation"], abs=TOLERANCE)


def test_numbers_of_many_digits_as_the_official_reader_takes_them():
    random = np.random.default_rng(0)
    cells = [repr(value) for value in random.random(500).tolist()] + [
        f"{value:.20f}" for value in random.random(300) / 90
    ]
    cells += [repr(float(value)) for value in 10 ** random.uniform(-30, 0, 300)] + [
        *("1.0", "0", "-0.5", "1e-4", ".5", "2.5E3"),
    ]
    cells += ["123456789012345678901.5", "0.30000000000000004", "1e-400"]
    assert [as_read_there(cell) for cell in cells] == official_numbers(cells)


def test_a_tie_that_is_none_is_one_for_the_official_scorer():
    truth = category_tables.truth(IDS[:4], ["MEL", "NV", "MEL", "NV"], ("MEL", "NV"))
    rows = [["0.30813645758914420", "0.30813645758914426"], ["0.1", "0.9"], ["0.9", "0.1"], ["0.2", "0.8"]]
    truth = truth.replace(b"ISIC_1,1.0,0.0", b"ISIC_1,0.0,1.0")
    predictions = table(("image", "MEL", "NV"), *([i, *row] for i, row in zip(IDS, rows, strict=False)))
    (said,) = official([(truth, predictions, "balanced_accuracy")])
    card = scored(truth, predictions)
    assert (card.score, said["overall"]) == (1, pytest.approx(5 / 6))
    assert "ISIC_1" in only(card.findings, "official-rounding").message


GOOD = category_tables.predictions()
LINES = GOOD.decode().splitlines()


def with_line(number: int, line: str) -> bytes:
    return "\n".join([*LINES[:number], line, *LINES[number + 1 :], ""]).encode()


ODD_PREDICTIONS = {
    "good": GOOD,
    "crlf": GOOD.replace(b"\n", b"\r\n"),
    "cr": GOOD.replace(b"\n", b"\r"),
    "bom": b"\xef\xbb\xbf" + GOOD,
    "no last line end": GOOD.rstrip(),
    "blank lines": GOOD.replace(b"\n", b"\n\n"),
    "jpg": GOOD.replace(b"_1,", b"_1.JPG,"),
    "minus zero": GOOD.replace(b"0.1", b"-0.0"),
    "empty": b"",
    "header only": LINES[0].encode() + b"\n",
    "no line end": LINES[0].encode(),
    "utf-16": GOOD.decode().encode("utf-16"),
    "latin-1": GOOD.replace(b"MEL", b"M\xe9L"),
    "no id": GOOD.replace(b"image", b"picture"),
    "lesion": GOOD.replace(b"image", b"lesion"),
    "column twice": b"\n".join(
        line + (b",NV" if i == 0 else b",0.1") for i, line in enumerate(GOOD.splitlines())
    ),
    "category missing": GOOD.replace(b"BCC", b"bcc"),
    "two missing": GOOD.replace(b"BCC", b"bcc").replace(b"MEL", b"mel"),
    "index column": b"\n".join(
        (b"%d," % i if i else b",") + line for i, line in enumerate(GOOD.splitlines())
    ),
    "longer row": with_line(3, LINES[3] + ",0.5"),
    "first row longer": with_line(1, LINES[1] + ",0.5"),
    "first row longest": "\n".join(
        [LINES[0], LINES[1] + ",0.5,0.5", LINES[2] + ",0.5", *LINES[3:], ""]
    ).encode(),
    "first row longer, a later one longest": "\n".join(
        [LINES[0], LINES[1] + ",0.5", LINES[2] + ",0.5,0.5", *LINES[3:], ""]
    ).encode(),
    "shorter row": with_line(3, "ISIC_3,0.1,0.2"),
    "twice": GOOD + LINES[1].encode() + b"\n",
    "missing value": with_line(3, "ISIC_3,,0.1,0.8"),
    "nan": with_line(3, "ISIC_3,nan,0.1,0.8"),
    "null": with_line(3, "ISIC_3,None,0.1,0.8"),
    "text": with_line(3, "ISIC_3,high,0.1,0.8"),
    "percent": with_line(3, "ISIC_3,45%,0.1,0.8"),
    "bool": with_line(3, "ISIC_3,True,0.1,0.8"),
    "quoted comma": with_line(3, 'ISIC_3,"0,5",0.1,0.8'),
    "no-break space before": with_line(3, "ISIC_3,\xa00.1,0.1,0.8"),
    "narrow no-break space behind": with_line(3, "ISIC_3,0.1\u202f,0.1,0.8"),
    "ideographic space": with_line(3, "ISIC_3,0.1,\u30000.1,0.8"),
    "control character": with_line(3, "ISIC_3,0.1,0.1\x1f,0.8"),
    "blanks": with_line(3, "ISIC_3, 0.1,\t0.1\t,0.8\v"),
    "above": with_line(3, "ISIC_3,1.25,0.1,0.8"),
    "below": with_line(3, "ISIC_3,-1e-300,0.1,0.8"),
    "just above": with_line(3, "ISIC_3,1.0000000000000002,0.1,0.8"),
    "infinite": with_line(3, "ISIC_3,inf,0.1,0.8"),
    "missing case": "\n".join([*LINES[:3], *LINES[4:], ""]).encode(),
    "extra case": GOOD + b"ISIC_99,0.1,0.1,0.8\n",
    "no common case": GOOD.replace(b"ISIC", b"IMG"),
    "semicolons": GOOD.replace(b",", b";"),
    "tabs": GOOD.replace(b",", b"\t"),
    "heading with spaces": GOOD.replace(b"BCC", b" BCC"),
    "id heading with spaces": GOOD.replace(b"image", b"image "),
    "trailing heading": b"\n".join(line + b"," for line in GOOD.splitlines()) + b"\n",
    "trailing heading only": GOOD.replace(b"BCC\n", b"BCC,\n"),
    "trailing in some rows": with_line(3, LINES[3] + ","),
    "trailing in the first row": with_line(1, LINES[1] + ","),
    "trailing in all rows": b"\n".join(
        line + (b"," if i else b"") for i, line in enumerate(GOOD.splitlines())
    )
    + b"\n",
    "decimal commas": GOOD.replace(b",", b";").replace(b".", b","),
    "whole numbers": table(("image", "MEL", "NV", "BCC"), *([name, "0", "0.5", "1.0"] for name in IDS)),
    "folder": GOOD.replace(b"ISIC_2", b"test/ISIC_2"),
    "png": GOOD.replace(b"ISIC_2,", b"ISIC_2.png,"),
    "spaces in ids": GOOD.replace(b"ISIC_2,", b"ISIC_2 ,"),
    "jpeg": GOOD.replace(b"ISIC_2,", b"ISIC_2.jpeg,"),
    "alias and trailing heading": GOOD.replace(b"image", b"lesion").replace(b"BCC\n", b"BCC,\n"),
    "semicolons, wide": GOOD.replace(b",", b";").decode().encode("utf-16"),
    "png and whole numbers": table(
        ("image", "MEL", "NV", "BCC"), *([f"{name}.png", "0", "0.5", "1.0"] for name in IDS)
    ),
    "short": b"image,MEL,NV,BCC\nISIC_1,0.1,0.1,0.8",
}


def normal(message: str | None) -> str | None:
    """5.6.0 knows only one name of the id column, and its message says so; pandas versions number lines alike
    but word C errors with a line end."""
    return (
        None
        if message is None
        else message.replace(
            "Missing column in CSV: 'image'.", 'Missing column in CSV: "image" or "lesion_id".'
        ).replace("\n", "")
    )


def begun(message: str | None) -> str | None:
    """A message up to what it lists: some lists are cut short here."""
    return None if message is None else message.replace('"', "").split("[")[0].split("Error")[0]


def test_odd_files_are_told_in_the_official_words():
    names, files = zip(*ODD_PREDICTIONS.items(), strict=True)
    truth = category_tables.truth()
    single = category_tables.truth(IDS[:1], ["BCC"])
    answers = official(
        [
            (single if name == "short" else truth, data, "balanced_accuracy")
            for name, data in zip(names, files, strict=True)
        ]
    )
    for name, data, said in zip(names, files, answers, strict=True):
        if name != "short":
            assert (name, normal(official_message(data, truth))) == (name, normal(said.get("refused")))


@pytest.mark.parametrize("name", ODD_PREDICTIONS)
def test_what_is_refused_there_is_refused_or_named_here(name):
    data = ODD_PREDICTIONS[name]
    truth = isic.read_truth(category_tables.truth(), "truth.csv")
    message = official_message(data, category_tables.truth())
    try:
        predictions = isic.read_predictions(data, truth, "predictions.csv")
    except InputRefused as refusal:
        dropped = any("drops the cells beyond the heading" in problem.message for problem in refusal.problems)
        assert dropped == (message is None)
        return
    card = isic.score(truth, predictions, resamples=0)
    said = card.more["official_check"]
    assert said["accepted"] == (message is None)
    assert begun(said["message"]) == begun(message)
    assert (
        official_message(isic.prediction_table(truth, predictions).encode(), category_tables.truth()) is None
    )
