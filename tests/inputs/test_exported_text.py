"""Tables as databases, R, Weka, pandas and services write them, and cases in another column or spelling."""

import io
import json
from csv import reader

import pytest

import scoring
from scoring.common.fixes import InputChanges
from scoring.inputs import table_formats
from scoring.inputs.exported_text import exported_as_commas
from scoring.inputs.long_tables import without_objects
from scoring.inputs.sources import FixedSource

CLASSES = ("MEL", "NV", "BCC")
SCORES = {
    "ISIC_1": (0.7, 0.2, 0.1),
    "ISIC_2": (0.15, 0.55, 0.3),
    "ISIC_3": (0.1, 0.25, 0.65),
    "ISIC_4": (0.2, 0.5, 0.3),
}
RISKS = {"M1": (True, 0.9), "M2": (False, 0.2), "M3": (True, 0.7), "M4": (False, 0.6)}


def lines(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def csv(header, rows) -> bytes:
    return lines(*(",".join(map(str, row)) for row in [header, *rows]))


TRUTHS = {
    "isic": csv(
        ("image", *CLASSES),
        (
            ("ISIC_1", 1.0, 0.0, 0.0),
            ("ISIC_2", 0.0, 1.0, 0.0),
            ("ISIC_3", 0.0, 0.0, 1.0),
            ("ISIC_4", 0.0, 0.0, 1.0),
        ),
    ),
    "melanoma": csv(("filename", "label"), ((case, label) for case, (label, _) in RISKS.items())),
}
PLAIN = {
    "isic": csv(("image", *CLASSES), ((case, *row) for case, row in SCORES.items())),
    "melanoma": csv(("filename", "score"), ((case, risk) for case, (_, risk) in RISKS.items())),
}
OBJECTS = {case: dict(zip(CLASSES, row, strict=True)) for case, row in SCORES.items()}


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def of_service(case: str, risk: float, number: int) -> dict:
    concepts = [
        {"id": "benign", "name": "benign", "value": round(1 - risk, 3)},
        {"id": "melanoma", "name": "melanoma", "value": risk},
    ]
    return {
        "id": f"a{number}",
        "status": {"code": 10000},
        "input": {"id": case},
        "data": {"concepts": concepts},
    }


def of_batch(case: str, risk: float, number: int) -> dict:
    message = {"role": "assistant", "content": json.dumps({"melanoma_probability": risk})}
    body = {"id": "chat", "choices": [{"index": 0, "message": message}]}
    return {"id": f"batch_{number}", "custom_id": case, "response": {"status_code": 200, "body": body}}


RISK_ROWS = [(case, risk, number) for number, (case, (_, risk)) in enumerate(RISKS.items())]
FORMS = {
    "psql": (
        "isic",
        lines(
            " image  | MEL  |  NV  | BCC",
            "--------+------+------+------",
            *(" " + " | ".join(map(str, (case, *row))) for case, row in SCORES.items()),
            "(4 rows)",
        ),
        0,
    ),
    "R's write.table": (
        "isic",
        lines(
            '"image" "MEL" "NV" "BCC"',
            *(
                f'"{i}" "{case}" ' + " ".join(map(str, row))
                for i, (case, row) in enumerate(SCORES.items(), 1)
            ),
        ),
        0,
    ),
    "R's write.table without quotes": (
        "melanoma",
        lines(
            "filename\tp_melanoma",
            *(f"{number + 1}\t{case}\t{risk}" for case, risk, number in RISK_ROWS),
        ),
        0,
    ),
    "R's write.table with cases as names of rows": (
        "melanoma",
        lines("p_melanoma", *(f"{case}\t{risk}" for case, risk, _ in RISK_ROWS)),
        0,
    ),
    "Keras' model.predict in a DataFrame": (
        "melanoma",
        lines("filename,prediction", *(f"{case},[{risk}]" for case, risk, _ in RISK_ROWS)),
        0,
    ),
    "ARFF": (
        "isic",
        lines(
            "% by Weka",
            "@relation p",
            "",
            "@attribute image string",
            *(f"@attribute {name} numeric" for name in CLASSES),
            "@data",
            *(f"'{case}'," + ",".join(map(str, row)) for case, row in SCORES.items()),
        ),
        0,
    ),
    "pg_dump --inserts": (
        "melanoma",
        lines(
            "--",
            "-- PostgreSQL database dump",
            "--",
            "SET client_encoding = 'UTF8';",
            *(
                f"INSERT INTO public.p (filename, score) VALUES ('{case}', {risk});"
                for case, risk, _ in RISK_ROWS
            ),
        ),
        0,
    ),
    "mysqldump, rows in one statement": (
        "melanoma",
        lines(
            "-- MySQL dump",
            "INSERT INTO `p` (`filename`, `score`) VALUES "
            + ",".join(f"('{c}',{r})" for c, r, _ in RISK_ROWS)
            + ";",
        ),
        0,
    ),
    "pg_dump": (
        "melanoma",
        lines(
            "--",
            "COPY public.p (filename, score) FROM stdin;",
            *(f"{c}\t{r}" for c, r, _ in RISK_ROWS),
            "\\.",
        ),
        0,
    ),
    "Numbers, with the table's name": (
        "melanoma",
        lines("Tabelle 1", "filename;score", *(f"{c};{str(r).replace('.', ',')}" for c, r, _ in RISK_ROWS)),
        0,
    ),
    "pandas, two lines of headings": (
        "isic",
        lines(
            ",prob,prob,prob",
            ",MEL,NV,BCC",
            "image,,,",
            *(f"{case}," + ",".join(map(str, row)) for case, row in SCORES.items()),
        ),
        0,
    ),
    "Keras' decode_predictions": (
        "isic",
        json.dumps(
            {
                case: [[f"c{k}", CLASSES[k], row[k]] for k in sorted(range(3), key=lambda k: -row[k])]
                for case, row in SCORES.items()
            }
        ).encode(),
        0,
    ),
    "dict in a cell": (
        "isic",
        lines("image,prediction", *(f"{case},{quoted(str(row))}" for case, row in OBJECTS.items())),
        0,
    ),
    "JSON in a cell, as Gradio logs it": (
        "isic",
        lines(
            "image,output,flag",
            *(
                f"flagged/{case}.jpg,"
                + quoted(
                    json.dumps(
                        {
                            "label": "MEL",
                            "confidences": [{"label": n, "confidence": s} for n, s in row.items()],
                        }
                    )
                )
                + ","
                for case, row in OBJECTS.items()
            ),
        ),
        1,
    ),
    "a language model's batch": ("melanoma", lines(*(json.dumps(of_batch(*row)) for row in RISK_ROWS)), 1),
    "Clarifai": (
        "melanoma",
        json.dumps({"status": {"code": 10000}, "outputs": [of_service(*row) for row in RISK_ROWS]}).encode(),
        1,
    ),
    "ids in small letters, Windows paths": (
        "isic",
        csv(("image", *CLASSES), ((f"C:\\test\\{case.lower()}.JPG", *row) for case, row in SCORES.items())),
        1,
    ),
    "Roboflow's names": (
        "melanoma",
        csv(("filename", "score"), ((f"{c}_jpg.rf.{'0f' * 16}.jpg", r) for c, r, _ in RISK_ROWS)),
        0,
    ),
    "logits above 0": (
        "isic",
        csv(("image", *CLASSES), ((case, *(20 + 5 * x for x in row)) for case, row in SCORES.items())),
        1,
    ),
    "PyCaret, the score of the class": (
        "melanoma",
        csv(
            ("filename", "prediction_label", "prediction_score"),
            ((c, int(r > 0.5), max(r, round(1 - r, 3))) for c, r, _ in RISK_ROWS),
        ),
        2,
    ),
}
"""Tool -> challenge, file, and the fixes, the first of each refusal, after which it has its true score."""


@pytest.mark.parametrize("tool", FORMS)
def test_the_first_fix_of_an_export_leads_to_its_score(tool):
    name, data, clicks = FORMS[tool]
    challenge = scoring.load_challenge(name)
    truth = challenge.read_truth(TRUTHS[name], "t.csv")

    def score(table: bytes, changes: InputChanges = InputChanges()) -> float:
        read = challenge.read_predictions(FixedSource(table, changes), truth, "p.csv")
        return challenge.score(truth, read, resamples=0).score

    changes = InputChanges()
    for _ in range(clicks):
        with pytest.raises(scoring.InputRefused) as refused:
            score(data, changes)
        changes = changes.joined(next(fix for p in refused.value.problems for fix in p.fixes).changes)
    assert score(data, changes) == pytest.approx(score(PLAIN[name]), abs=1e-9)


def test_neither_the_truth_nor_an_age_is_offered_as_the_score():
    challenge = scoring.load_challenge("melanoma")
    truth = challenge.read_truth(TRUTHS["melanoma"], "t.csv")
    table = csv(
        ("filename", "y_true", "Age", "y_pred", "y_prob"),
        ((c, int(label), 40 + 3 * i, int(r > 0.5), r) for i, (c, (label, r)) in enumerate(RISKS.items())),
    )
    with pytest.raises(scoring.InputRefused) as refused:
        challenge.read_predictions(table, truth, "p.csv")
    offered = [dict(fix.changes.columns) for p in refused.value.problems for fix in p.fixes]
    assert offered[0] == {"y_prob": "score"}
    assert not {"y_true", "Age"} & {name for columns in offered for name in columns}


def test_a_first_line_of_one_cell_is_no_title_where_numbers_follow():
    challenge = scoring.load_challenge("melanoma")
    with pytest.raises(scoring.InputRefused):
        challenge.read_predictions(lines("score", "0,5", "0,7", "0,1", "0,2"), None, "p.csv")


@pytest.mark.parametrize("cell", ['{"MEL": 0.1, "MEL": 0.9}', "{'MEL': 0.1, 'MEL': 0.9}"])
def test_an_object_in_a_cell_with_a_key_twice_is_not_read(cell):
    assert without_objects(("image", "scores"), (["a"], [cell])) is None
    once = cell.replace("MEL", "NV", 1)
    assert without_objects(("image", "scores"), (["a"], [once]))[0] == ("image", "NV", "MEL")


DUMP = "INSERT INTO t (image, risk) VALUES\n('a', 1),\n{},\n('c', 3);"
QUOTED = "a''"


@pytest.mark.parametrize(
    ("row", "cells"),
    [("('it''s', 2)", "it's"), ("( 'b' , 2 )", "b"), ("(NULL, 2)", ""), ("('x,(y', 2)", "x,(y")],
)
def test_a_row_of_a_dump_has_its_cells(row, cells):
    text, layout = exported_as_commas(DUMP.format(row).encode())
    assert layout == "An SQL dump of a database"
    assert list(reader(io.StringIO(text.decode())))[2] == [cells, "2"]


@pytest.mark.parametrize(
    "row",
    ["('b', abs(2))", "('b' || 'c', 2)", "('b", "", f"('{QUOTED * 60_000}' x, 1)"],
    ids=["function", "operator", "open", "nothing", "quotation marks"],
)
def test_a_dump_with_a_row_that_is_not_read_is_no_table(row):
    """Such a row and those after it would be missing. The last row once took minutes."""
    assert exported_as_commas(DUMP.format(row).encode()) is None


def test_objects_of_more_values_than_a_table_has_columns_are_not_collected(monkeypatch):
    monkeypatch.setattr(table_formats, "columns_of", None)
    cell = json.dumps({f"k{k}": 1 for k in range(1_001)})
    assert len(cell) < 20_000
    assert without_objects(["image", "scores"], [["a"], [cell]]) is None
