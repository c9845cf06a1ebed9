"""The ISIC samples are clean for the official scorer, lesions have several pictures, and the teams have their
characters."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sample_data.generator import isic
from scoring.challenges.isic import CHALLENGE as challenge
from tests.sample_data.committed import ROOT, columns, table, team

CATEGORIES = {
    2018: ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"],
    2019: ["MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC", "UNK"],
}
SAMPLES = {2018: isic.SAMPLE_2018, 2019: isic.SAMPLE_2019}
STRONG, ROUNDED, SHY, SIGMOID = (
    dict(zip(SAMPLES, names, strict=True)) for names in zip(isic.TEAMS_2018, isic.TEAMS_2019, strict=True)
)
NEVER = {2018: "DF", 2019: "SCC"}
years = pytest.mark.parametrize("year", SAMPLES)


def folder(year: int):
    return ROOT / f"isic{year}"


def truth(year: int) -> np.ndarray:
    """Cases x categories, 0 and 1."""
    return np.array(
        [row[1:] for row in table(folder(year) / f"ISIC_{year}_Sample_GroundTruth.csv")[1:]], float
    )


def balanced_accuracy(labels: np.ndarray, outputs: np.ndarray) -> float:
    """Mean over the categories of the share of their cases of which the largest score, shared by no other, is
    theirs."""
    alone = (outputs == outputs.max(axis=1, keepdims=True)).sum(axis=1) == 1
    right = alone & (outputs.argmax(axis=1) == labels.argmax(axis=1))
    return float(np.mean([right[labels[:, k] == 1].mean() for k in range(labels.shape[1])]))


@years
def test_ground_truth_is_spelled_as_the_official_one(year):
    header, *rows = table(folder(year) / f"ISIC_{year}_Sample_GroundTruth.csv")
    assert header == ["image", *CATEGORIES[year]]
    assert all(re.fullmatch(r"ISIC_00\d{5}", row[0]) for row in rows)
    assert {cell for row in rows for cell in row[1:]} == {"0.0", "1.0"}
    assert (truth(year).sum(axis=1) == 1).all()
    support = dict(zip(CATEGORIES[year], truth(year).sum(axis=0), strict=True))
    assert max(support, key=support.get) == "NV"
    assert 3 <= support.pop("UNK", 6) <= 10
    assert min(support.values()) >= 15


@years
def test_the_challenge_reads_everything_without_a_finding(year):
    read = challenge.read_truth(folder(year))
    assert list(read.findings) == []
    for name in SAMPLES[year].teams:
        predictions = challenge.read_predictions(folder(year) / "teams" / f"{name}.csv", read)
        assert {finding.code for finding in predictions.findings} <= {"undecided"}


@years
def test_metadata_belong_to_lesions_and_patients(year):
    metadata = columns(folder(year) / "metadata.csv")
    assert list(metadata) == [
        "isic_id",
        "age_approx",
        "sex",
        "anatom_site_general",
        "lesion_id",
        "patient_id",
    ]
    assert list(metadata["isic_id"]) == [
        row[0] for row in table(folder(year) / f"ISIC_{year}_Sample_GroundTruth.csv")[1:]
    ]
    assert all(int(age) % 5 == 0 for age in metadata["age_approx"])
    labels = truth(year).argmax(axis=1)
    facts = zip(
        metadata["lesion_id"],
        metadata["patient_id"],
        metadata["age_approx"],
        metadata["anatom_site_general"],
        labels,
        strict=True,
    )
    assert len(set(facts)) == len(set(metadata["lesion_id"]))
    people = zip(metadata["patient_id"], metadata["age_approx"], metadata["sex"], strict=True)
    assert len(set(people)) == len(set(metadata["patient_id"])) < len(set(metadata["lesion_id"]))
    assert set(Counter(metadata["lesion_id"]).values()) == {1, 2, 3}


@given(st.lists(st.tuples(st.sampled_from([40, 45]), st.sampled_from(["male", "female"])), max_size=30))
def test_patients_have_one_age_and_sex_and_numbers_without_gaps(people):
    numbers = isic.patients(people)
    assert sorted(set(numbers)) == list(range(len(set(numbers))))
    assert len(set(zip(numbers, people, strict=True))) == len(set(numbers))


@years
def test_team_characters_hold_on_this_test_set(year):
    labels, categories = truth(year), CATEGORIES[year]
    tables = {name: team(name, folder(year)) for name in SAMPLES[year].teams}
    assert all(((outputs >= 0) & (outputs <= 1)).all() for outputs in tables.values())
    scores = {name: balanced_accuracy(labels, outputs) for name, outputs in tables.items()}
    assert max(scores, key=scores.get) == STRONG[year]
    assert min(scores, key=scores.get) == SIGMOID[year]
    assert 0.5 < scores[SIGMOID[year]] < scores[STRONG[year]] < 0.95

    rounded = tables[ROUNDED[year]]
    assert (rounded == np.round(rounded, 1)).all()
    assert ((rounded == rounded.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum() >= 5

    shy, never = tables[SHY[year]], categories.index(NEVER[year])
    assert shy[:, never].max() < 0.5
    assert roc_auc_score(labels[:, never], shy[:, never]) > 0.9
    assert (np.delete(shy, never, axis=1).max(axis=0)[:6] > 0.5).all()

    for name, outputs in tables.items():
        off = np.abs(outputs.sum(axis=1) - 1)
        assert off.mean() > 0.1 if name == SIGMOID[year] else off.max() < 0.35


def test_shyness_keeps_rows_at_one_and_the_order_of_the_others():
    scores = np.log(np.random.default_rng(0).dirichlet(np.ones(5), 100))
    outputs = isic.shy_of(2)(scores)
    assert outputs.sum(axis=1) == pytest.approx(np.ones(100))
    assert outputs[:, 2].max() < 0.5
    others = [0, 1, 3, 4]
    assert (outputs[:, others].argsort(axis=1) == scores[:, others].argsort(axis=1)).all()
