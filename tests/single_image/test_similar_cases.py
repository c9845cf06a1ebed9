"""The test set behind an answer: aligned, left-one-out, alike cases, class sets, other frequencies; each
restated plainly."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges import load_challenge, samples
from scoring.inputs.sources import SourceFiles, open_source
from scoring.metrics import conformal, thresholds
from scoring.metrics.output_kinds import probabilities
from scoring.single_image import operating_threshold
from scoring.single_image.image_record_parts import of_reference
from scoring.single_image.model_inputs import model_task
from scoring.single_image.patients_and_lesions import patients_and_lesions
from scoring.single_image.similar_cases import (
    MISS,
    alike,
    class_set,
    malignant_at,
    reference,
    reweighted,
    right_alike,
    tied_line,
    without,
)
from scoring.single_image.wording import number_line, right_line, set_line
from scoring.statistics.intervals import effective_cases, wilson
from tests.support.command_line import ROOT
from tests.support.single_image import NO_FILES

ABOUT = model_task("tricorder3")


@dataclass
class Cases:
    ids: tuple[str, ...]
    labels: np.ndarray
    name: str = "cases"
    columns: dict = field(default_factory=dict)
    id_column: str = "case"
    absent: tuple[int, ...] = ()
    files: SourceFiles = NO_FILES

    @property
    def images(self):
        return [None if i in self.absent else name for i, name in enumerate(self.ids)]

    def __len__(self):
        return len(self.ids)


@dataclass
class Outputs:
    outputs: np.ndarray

    @property
    def has_outputs(self):
        return ~np.isnan(self.outputs).any(1)


def drawn(n: int = 220, seed: int = 0, about=ABOUT, units=None):
    random = np.random.default_rng(seed)
    labels = np.arange(n) % len(about.classes)
    logits = random.normal(0, 1, (n, len(about.classes))) + 2 * (
        labels[:, None] == np.arange(len(about.classes))
    )
    rows = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    cases, outputs = Cases(tuple(f"c{i}" for i in range(n)), labels), Outputs(rows[:, -about.outputs :])
    found = reference(about, cases, outputs, True, units)
    return replace(found, official=None)  # tests replace the probabilities, and with them the decisions


def test_cases_without_class_or_outputs_are_left_out():
    labels, outputs = np.arange(6) % 11, np.full((6, 11), 1 / 11)
    labels[1], outputs[4, 3] = -1, np.nan
    found = reference(ABOUT, Cases(tuple("abcdef"), labels), Outputs(outputs))
    assert (found.ids, found.indices.tolist()) == (("a", "c", "d", "f"), [0, 2, 3, 5])
    assert found.support.sum() == len(found) == 4


def failing(n: int = 220, bad=range(0, 220, 10), absent=(), units=None):
    """The drawn cases, of which the model fails on some."""
    found = drawn(n)
    outputs = found.outputs.copy()
    outputs[[*bad, *absent]] = np.nan
    return reference(
        ABOUT, Cases(found.ids, found.truth, absent=tuple(absent)), Outputs(outputs), True, units
    )


def test_images_on_which_the_model_fails_are_known_and_those_without_a_picture_are_not_among_them():
    found = failing(44, (3, 7), absent=(9,), units=np.arange(44) // 2)
    assert len(found) == 41
    assert (found.failed.indices.tolist(), found.failed.truth.tolist()) == ([3, 7], [3, 7])
    assert without(found, 2).failed.indices.tolist() == [7]
    assert without(found, 7).failed.indices.tolist() == [3]
    assert without(found, 9).failed.indices.tolist() == [3, 7]


def test_with_few_cases_a_failed_image_counts_as_not_right():
    found = failing(44, (3, 7))
    share = right_alike(found, found.probabilities[0]).similar
    assert (share.hits, share.n) == (int(found.right.sum()), 44)


def test_an_image_of_the_test_set_is_not_held_against_itself():
    units = np.arange(220) // 2
    found = drawn(units=units)
    left = without(found, 7)
    assert set(found.ids) - set(left.ids) == {"c6", "c7"}
    assert left.probabilities.tolist() == np.delete(found.probabilities, [6, 7], 0).tolist()
    assert without(found, 999) is found
    assert alike(found, found.probabilities[7])[0].index == 7
    assert alike(left, found.probabilities[7])[0].distance > 0


def test_of_many_cases_with_equal_scores_those_that_are_shown_are_spread():
    """Of a constant model all 220 cases tied, and the first six of the file were shown without a word."""
    found = drawn()
    same = replace(found, probabilities=np.tile(found.probabilities[0], (220, 1)))
    shown = [case.index for case in alike(same, same.probabilities[0])]
    assert shown == [0, 44, 88, 131, 175, 219]
    assert (
        tied_line(same, same.probabilities[0]) == "220 cases have exactly these scores; 6 of them are shown."
    )
    assert tied_line(found, found.probabilities[0]) == ""
    few = replace(
        found, probabilities=np.where(np.arange(220)[:, None] % 20 == 3, found.probabilities[0], 1 / 11)
    )
    nearest_six = [case.index for case in alike(few, found.probabilities[0])]
    assert len(set(nearest_six)) == 6
    assert {i % 20 for i in nearest_six if i} == {3}


def test_photographs_of_one_lesion_are_one_unit():
    rows = np.full((4, len(ABOUT.classes)), 1 / len(ABOUT.classes))
    cases = Cases(
        tuple("abcd"), np.zeros(4, int), columns={"case": tuple("abcd"), "lesion_id": ("1", "2", "1", "")}
    )
    found = reference(ABOUT, cases, Outputs(rows))
    assert found.units.tolist() == [0, 1, 0, 2]
    assert without(found, 2).ids == ("b", "d")


def test_patients_and_lesions_of_isic_come_from_its_metadata():
    """Only the official grouping was used, which is "none": intervals were too narrow, and photographs of the
    same patient counted as evidence."""
    challenge, sample = load_challenge("isic"), samples.test_sets("isic")["isic2019"]
    truth = challenge.read_truth(sample.path)
    rows = np.full((len(truth), len(truth.categories)), 1 / len(truth.categories))
    found = reference(model_task("isic", truth.categories), truth, Outputs(rows))
    assert (len(found), len(set(found.units.tolist()))) == (306, 192)
    assert found.right.mean() not in (0, 1)
    assert effective_cases(found.right, found.units) < 306
    assert "patient_id" not in truth.columns, "the official score has its own grouping"


def test_an_image_without_a_patient_belongs_to_its_lesion(tmp_path):
    (tmp_path / "labels.csv").write_text("case\n")
    (tmp_path / "metadata.csv").write_text(
        "isic_id,patient_id,lesion_id\na,P1,L1\nb,,L1\nc,,L2\nd,,L2\ne,NA,\nf,,\ng,P1,L3\n"
    )
    cases = Cases(tuple("abcdefg"), np.zeros(7, int), files=open_source(tmp_path))
    units, unread = patients_and_lesions(cases)
    assert (units.tolist(), unread) == ([0, 0, 1, 1, 2, 3, 0], "")
    (tmp_path / "metadata.csv").write_text("patient_id\nP1\n")
    units, unread = patients_and_lesions(replace(cases, files=open_source(tmp_path)))
    assert units.tolist() == list(range(7))
    assert unread.startswith("The test set's metadata.csv could not be used")


def test_a_coverage_at_the_end_of_its_interval_is_explained():
    """203 of 220 (92%; 82 to 92%): sets without a patient of four are calibrated on 16 cases of a class and
    hold 16 of 17 new ones; those of all 20 cases hold 19 of 21."""
    by_class, units = np.argsort(np.arange(220) % 11, kind="stable"), np.empty(220, int)
    units[by_class] = np.arange(220) // 4
    for found, is_explained in ((drawn(units=units), True), (drawn(), False)):
        overall, row = found.coverage.overall, found.probabilities[7]
        assert (overall.high - overall.hits / overall.n < 0.01) == is_explained
        line = set_line(class_set(found, row), ABOUT.names, int(row.argmax()))
        assert ("calibrated on fewer cases than the set of this image" in line) == is_explained


def test_images_of_the_same_patient_are_left_out_for_an_image_of_the_test_set_and_counted():
    found = drawn(units=np.arange(220) // 4)
    assert found.apart == 0
    left = without(found, 7)
    assert (left.apart, len(left)) == (3, 216)
    said = "3 other images of the same patient or lesion are left out"
    right = right_line(right_alike(left, found.probabilities[7]), left, "x")
    assert right.endswith(f" {said}.")
    assert number_line(left) == f"n = 216; {said}"
    assert of_reference(left)["left_out_same_patient_or_lesion"] == 3
    assert "left out" not in right_line(right_alike(found, found.probabilities[7]), found, "x")


def test_alike_cases_and_their_share():
    found = drawn()
    row = found.probabilities[3] * 0.9 + 0.1 / 11
    distance = [
        np.sqrt(max(0, 1 - sum(np.sqrt(p * q) for p, q in zip(row, other, strict=True))))
        for other in found.probabilities
    ]
    order = sorted(range(len(found)), key=lambda i: distance[i])
    shown = alike(found, row)
    assert [one.index for one in shown] == order[:6]
    assert [one.distance for one in shown] == pytest.approx([distance[i] for i in order[:6]], abs=1e-7)
    assert [one.label for one in shown] == [int(found.truth[i]) for i in order[:6]]


def test_right_answers_among_similar_highest_scores_count_ties_in_any_order():
    """A constant model was said to be right in 100 % of a set sorted by class; the truth is 9 %."""
    found = drawn()
    row = found.probabilities[3]
    away = [abs(max(other) - max(row)) for other in found.probabilities]
    near = [i for i in range(220) if away[i] <= sorted(away)[29]]
    right = [found.probabilities[i].argmax() == found.truth[i] for i in near]
    said = right_alike(found, row)
    assert (said.similar.hits, said.similar.n, said.every) == (sum(right), 30, False)
    assert (said.similar.low, said.similar.high) == tuple(map(float, wilson(sum(right), 30)))
    assert (said.low, said.high) == tuple(f(max(found.probabilities[i]) for i in near) for f in (min, max))
    same = [i for i in range(220) if found.probabilities[i].argmax() == row.argmax()]
    assert said.of_class.hits == sum(found.truth[i] == row.argmax() for i in same)
    assert said.of_class.n == len(same)
    constant = np.tile(np.linspace(2, 1, 11) / 16.5, (220, 1))
    for order in (np.argsort(found.truth, kind="stable"), np.arange(220)):
        flat = replace(found, truth=found.truth[order], probabilities=constant)
        assert (right_alike(flat, constant[0]).similar.hits, right_alike(flat, constant[0]).similar.n) == (
            20,
            220,
        )


def test_scores_that_differ_by_rounding_error_are_tied():
    found = drawn()
    near_one = np.full((220, 11), 1e-9)
    near_one[np.arange(220), found.truth] = 1 - np.arange(220) * 1e-10
    assert right_alike(replace(found, probabilities=near_one), np.eye(11)[0]).similar.n == 220


def test_of_few_cases_all_count():
    said = right_alike(drawn(59), np.eye(11)[0])
    assert (said.every, said.similar.n) == (True, 59)
    assert right_alike(drawn(60), np.eye(11)[0]).every is False
    assert right_alike(drawn(0), np.eye(11)[0]).similar.n == 0


def test_sets_hold_every_class_often_enough():
    """Left out one by one, at least nine in ten of the cases of each class have their class in the set."""
    found = drawn()
    held = np.array(
        [
            class_set(without(found, i), found.probabilities[i]).members[found.truth[i]]
            for i in range(len(found))
        ]
    )
    assert min(held[found.truth == k].mean() for k in range(11)) >= 0.85
    assert held.mean() >= 0.9
    tried = class_set(found, found.probabilities[0])
    assert tried.coverage.overall.hits == held.sum()
    assert not tried.always.any()


def test_few_cases_are_said_and_never_left_out():
    found = class_set(drawn(11 * 8), np.eye(11)[0])
    assert found.fewest == 9
    assert found.always.all()
    assert found.members.all()


@given(st.lists(st.floats(0.01, 1), min_size=11, max_size=11), st.floats(0.01, 0.99))
def test_other_frequencies_by_bayes(values, prevalence):
    found = drawn(110)
    row = np.array(values) / sum(values)
    wanted = malignant_at(found, ABOUT.malignant, prevalence)
    assert wanted.sum() == pytest.approx(1)
    assert wanted[ABOUT.malignant].sum() == pytest.approx(prevalence)
    here = [p * w / (s / 110) for p, w, s in zip(row, wanted, found.support, strict=True)]
    assert reweighted(found, row, wanted) == pytest.approx(np.array(here) / sum(here))


def test_the_frequencies_of_the_test_set_change_nothing():
    found = drawn(110)
    row = found.probabilities[5]
    assert reweighted(found, row, found.support) == pytest.approx(row)


def test_a_wanted_sensitivity_is_reached_here_and_told_honestly():
    found = drawn()
    for wanted in (0.5, 0.8, 0.95, 1.0):
        point = operating_threshold.operating_point(found, ABOUT.malignant, wanted)
        risk = found.probabilities[:, ABOUT.malignant].sum(1)
        positive = ABOUT.malignant[found.truth]
        assert operating_threshold.risks(found.probabilities, ABOUT.malignant) == pytest.approx(risk)
        reached = (risk[positive] > point.threshold).mean()
        higher = np.unique(risk)[np.unique(risk) > point.threshold]
        assert reached >= wanted
        assert (risk[positive] > higher[0]).mean() < wanted or (risk[~positive] <= higher[0]).mean() == (
            risk[~positive] <= point.threshold
        ).mean()
        line = operating_threshold.own_line(found, ABOUT.malignant, point)
        own_hits, own_below = (
            (risk[positive] > point.threshold).sum(),
            (risk[~positive] <= point.threshold).sum(),
        )
        assert f"{own_hits} of {positive.sum()} malignant cases are at or above the threshold" in line
        assert f"{own_below} of {(~positive).sum()} other cases are below" in line
        assert (point.sensitivity.n, point.specificity.n) == (positive.sum(), (~positive).sum())
        assert point.sensitivity.low <= point.sensitivity.hits / point.sensitivity.n <= point.sensitivity.high


def test_cases_without_a_valid_output_are_left_out_of_the_threshold_and_counted():
    """The card counted 22 images as not right; the threshold beside it did not name them."""
    found = failing()
    point = operating_threshold.operating_point(found, ABOUT.malignant, 0.9)
    line = operating_threshold.own_line(found, ABOUT.malignant, point)
    assert line.endswith("other cases are below. Another 22 without a valid output are left out.")


def test_sensitivity_and_specificity_are_cross_validated_in_five_parts():
    """Each part is judged by the threshold that the other four give, found here by trying all of them."""
    found = drawn(120, units=np.arange(120) // 2)
    risk = found.probabilities[:, ABOUT.malignant].sum(1)
    positive, called = ABOUT.malignant[found.truth], np.zeros(120, bool)
    parts = thresholds.folds(positive.astype(int), found.units, operating_threshold.SEED)
    assert len(parts) == 5
    assert sorted(np.concatenate([fifth for _, fifth in parts])) == list(range(120))
    for four, fifth in parts:
        assert not set(found.units[four]) & set(found.units[fifth])
        cuts = [-1, *np.unique(risk[four])]
        hits = {cut: (risk[four][positive[four]] > cut).mean() for cut in cuts}
        right = {cut: (risk[four][~positive[four]] <= cut).mean() for cut in cuts if hits[cut] >= 0.9}
        best = min(cut for cut in right if right[cut] == max(right.values()))
        called[fifth] = risk[fifth] >= risk[four][risk[four] > best].min()
    point = operating_threshold.operating_point(found, ABOUT.malignant, 0.9)
    assert point.sensitivity.hits == called[positive].sum()
    assert point.specificity.hits == (~called[~positive]).sum()
    assert (point.sensitivity.hits, point.specificity.hits) != (
        (risk[positive] > point.threshold).sum(),
        (risk[~positive] <= point.threshold).sum(),
    )


def test_cross_fitting_tells_less_than_the_same_rows():
    """Of scores that mean nothing the same rows promise the wanted sensitivity exactly; new cases keep to it
    on the average only."""
    specificity = []
    for seed in range(12):
        found = drawn(120, seed)
        shuffled = found.probabilities[np.random.default_rng(seed).permutation(len(found))]
        found = replace(found, probabilities=shuffled)
        point = operating_threshold.operating_point(found, ABOUT.malignant, 0.9)
        risk, positive = shuffled[:, ABOUT.malignant].sum(1), ABOUT.malignant[found.truth]
        specificity.append(
            ((risk[~positive] <= point.threshold).mean(), point.specificity.hits / point.specificity.n)
        )
        assert (risk[positive] > point.threshold).mean() >= 0.9
    same, fitted = np.mean(specificity, axis=0)
    assert fitted < same


def test_no_operating_point_without_both_kinds():
    benign = drawn(33)
    kept = np.zeros(11, bool)
    assert operating_threshold.operating_point(benign, kept, 0.9) is None
    one_unit = drawn(33, units=np.zeros(33, int))
    point = operating_threshold.operating_point(one_unit, ABOUT.malignant, 0.9)
    assert (point.sensitivity, point.specificity) == (None, None)


def test_one_risk_is_two_classes():
    about = model_task("melanoma")
    assert about.malignant.tolist() == [False, True]
    assert probabilities(np.array([[0.2], [1.0]]), "probabilities").tolist() == [[0.8, 0.2], [0, 1]]
    assert probabilities(np.array([[0.0]]), "logits").tolist() == [[0.5, 0.5]]
    found = drawn(60, about=about)
    assert found.probabilities.sum(1) == pytest.approx(np.ones(60))


def test_rows_of_nothing_and_of_too_much():
    rows = probabilities(np.array([[0.0, 0.0], [0.9, 0.9], [-0.1, 0.5]]), "not-normalised")
    assert rows.tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 1]]


def test_classes_of_isic_come_from_the_test_set():
    about = model_task("isic", ("NV", "MEL", "UNK", "my own"))
    assert about.risk == ("benign", "malignant", "", "benign")
    assert about.names == ("Melanocytic nevus", "Melanoma", "None of the others", "my own")
    with pytest.raises(KeyError):
        model_task("puma")


def test_the_page_and_the_documentation_name_the_same_fewest_cases():
    """The page said "fewer than 9 cases" and the documentation "fewer than 10"."""
    text = (ROOT / "docs" / "single-image.md").read_text()
    assert f"Classes of fewer than {conformal.fewest_cases(MISS)} cases always stay in the sets." in text


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        (-0.1, " At this threshold, every one of these cases counts as malignant."),
        (1.0, " At this threshold, none of these cases counts as malignant."),
        (0.5, ""),
    ],
)
def test_a_threshold_that_calls_all_or_no_cases_malignant_is_told(threshold, told):
    """Specificity was 0 of 80, and no sentence said what that means."""
    found, malignant = drawn(), ABOUT.malignant
    point = operating_threshold.ChosenOperatingPoint(0.95, threshold, None, None)
    assert operating_threshold.one_sided_line(found, malignant, point) == told
