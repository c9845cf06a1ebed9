"""Foreign tables are read by a guess of their columns, which one fix applies."""

import csv
import io
import zipfile

import pandas as pd
import pytest

import scoring
from scoring.challenges import samples
from scoring.common.findings import InputRefused
from scoring.inputs.sources import FixedSource

FULL = {
    "AKIEC": "Actinic keratosis / intraepidermal carcinoma", "BCC": "Basal cell carcinoma",
    "BEN_OTH": "Other benign proliferations", "BKL": "Benign keratinocytic lesion", "DF": "Dermatofibroma",
    "INF": "Inflammatory and infectious", "MAL_OTH": "Other malignant proliferations", "MEL": "Melanoma",
    "NV": "Melanocytic nevus", "SCCKA": "Squamous cell carcinoma", "VASC": "Vascular lesions",
    "AK": "Actinic keratosis", "SCC": "Squamous cell carcinoma", "UNK": "Unknown",
}  # fmt: skip
GERMAN = {
    "AKIEC": "Aktinische Keratose", "BCC": "Basalzellkarzinom", "BEN_OTH": "Sonstige benigne",
    "BKL": "Benigne Keratose", "DF": "Dermatofibrom", "INF": "Entzündlich", "MAL_OTH": "Sonstige maligne",
    "MEL": "Melanom", "NV": "Nävus", "SCCKA": "Plattenepithelkarzinom", "VASC": "Vaskuläre Läsion",
    "AK": "Aktinische Keratose", "SCC": "Plattenepithelkarzinom", "UNK": "unbekannt",
}  # fmt: skip


def sample(challenge_id: str):
    challenge = scoring.load_challenge(challenge_id)
    chosen = next(iter(samples.test_sets(challenge_id).values()))
    path = next(team for team in chosen.submissions.values() if not team.is_model).path
    truth = challenge.read_truth(chosen.path)
    data = (
        zipfile.ZipFile(path).read(zipfile.ZipFile(path).namelist()[0])
        if path.suffix == ".zip"
        else path.read_bytes()
    )
    return challenge, truth, list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def written(header: list[str], rows: list[list[str]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([header, *rows])
    return text.getvalue().encode()


def named(names: dict[str, str]):
    return lambda header, rows: written(["Bild", *(names[name] for name in header[1:])], rows)


def german(header, rows):
    cells = [[row[0], *(cell.replace(".", ",") for cell in row[1:])] for row in rows]
    return written(["Bild", *(GERMAN[name] for name in header[1:])], cells, ";")


def numbered(first: int, prefix: str):
    """Columns called by number, in the order of the challenge's classes, which is that of its own files."""
    return lambda header, rows: written(
        ["name", *(f"{prefix}{k}" for k in range(first, first + len(header) - 1))], rows
    )


def shuffled(header, rows):
    order = [0, *range(len(header) - 1, 0, -1)]
    return written(
        [f"p_{header[i]}" if i else "Aufnahme" for i in order], [[row[i] for i in order] for row in rows]
    )


TABLES = {
    "full names": named(FULL),
    "german": named(GERMAN),
    "german excel": german,
    "prob_0": numbered(0, "prob_"),
    "numbers from 1": numbered(1, ""),
    "prefix, other order": shuffled,
    "logit_": lambda header, rows: written(["Datei", *(f"logit_{n.lower()}" for n in header[1:])], rows),
    "index column": lambda header, rows: written(
        ["", "Bild", *(FULL[n] for n in header[1:])], [[str(i), *row] for i, row in enumerate(rows)]
    ),
}


@pytest.mark.parametrize("challenge_id", ["tricorder3", "isic"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_foreign_table_has_a_fix_that_gives_its_score(challenge_id, kind):
    challenge, truth, (header, *rows) = sample(challenge_id)
    right = challenge.score(truth, challenge.read_predictions(written(header, rows), truth, "p"), resamples=0)
    if challenge_id == "isic" and kind in ("prob_0", "numbers from 1"):
        order = [0, *(header.index(name) for name in truth.categories)]
        header, rows = [header[i] for i in order], [[row[i] for i in order] for row in rows]
    foreign = TABLES[kind](header, rows)
    with pytest.raises(InputRefused) as refused:
        challenge.read_predictions(foreign, truth, "p")
    fix = next(fix for problem in refused.value.problems for fix in problem.fixes)
    read = challenge.read_predictions(FixedSource(foreign, fix.changes), truth, "p")
    card = challenge.score(truth, read, resamples=0)
    assert card.score == right.score
    assert not card.official.same


@pytest.mark.parametrize(
    ("challenge_id", "change"),
    [
        ("tricorder3", {"MEL": "Immune cells"}),
        ("tricorder3", {"MEL": "Melanoma", "NV": "melanoma"}),
        ("tricorder3", {"SCCKA": "class 10"}),
        ("isic", {"MEL": "Lesion"}),
    ],
)
def test_no_class_is_made_up(challenge_id, change):
    """A column that is no spelling of a class is none, however few are left."""
    challenge, truth, (header, *rows) = sample(challenge_id)
    data = written(["Bild", *(change.get(name, FULL[name]) for name in header[1:])], rows)
    with pytest.raises(InputRefused) as refused:
        challenge.read_predictions(data, truth, "p")
    fixes = [fix for problem in refused.value.problems for fix in problem.fixes]
    assert all(len(fix.changes.columns) < 4 for fix in fixes)


@pytest.mark.parametrize("name", ["{}_{}", "{}_{k}"], ids=["by class", "by number"])
def test_of_two_lists_of_scores_none_is_offered_as_the_first(name):
    challenge, truth, (header, *rows) = sample("tricorder3")
    twice = [name.format(kind, c, k=k) for kind in ("logits", "output") for k, c in enumerate(header[1:])]
    data = written(["Bild", *twice], [[*row, *row[1:]] for row in rows])
    with pytest.raises(InputRefused) as refused:
        challenge.read_predictions(data, truth, "p")
    fixes = [fix for problem in refused.value.problems for fix in problem.fixes]
    assert all(len(fix.changes.columns) < 4 for fix in fixes)
    if name == "{}_{}":
        assert {fix.label for fix in fixes} >= {f"Read columns without “{k}_”" for k in ("logits", "output")}


def test_of_two_columns_the_one_with_the_smaller_error_stands_first():
    challenge, ages = scoring.load_challenge("rsna-boneage"), [40.0, 90.5, 120.0, 66.0, 150.0, 12.0]
    cases = [f"c{i}" for i in range(len(ages))]
    truth = challenge.read_truth(pd.DataFrame({"case": cases, "boneage": ages}).to_csv(index=False).encode())
    far, near = [age + 50 for age in ages], [age + 1 for age in ages]
    table = pd.DataFrame({"case": cases, "months_far": far, "months_near": near})
    with pytest.raises(InputRefused) as refused:
        challenge.read_predictions(table.to_csv(index=False).encode(), truth, "p.csv")
    labels = [fix.label for fix in refused.value.problems[0].fixes]
    assert [label.partition("score ")[2] for label in labels] == ["1.0000", "50.0000"]
