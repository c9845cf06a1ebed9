"""Declared challenges of masks: regions, rules for empty masks, spacing, gaps, faults, ranks by case."""

import numpy as np
import pytest
import scipy

import scoring
from scoring.challenges.declared import library
from scoring.comparison.compare import compare
from tests.support.command_line import run
from tests.support.findings import codes, refused
from tests.support.volumes import nifti, nrrd

SHAPE = (12, 10, 6)
AFFINE = np.diag([0.5, 0.8, 3.0, 1.0])
CASES = [f"case_{i:02}" for i in range(8)]


def masks(seed: int, labels: tuple[int, ...], empty: tuple[int, ...] = ()) -> list[np.ndarray]:
    """Boxes of random labels, some masks empty."""
    random, found = np.random.default_rng(seed), []
    for i in range(len(CASES)):
        mask = np.zeros(SHAPE, np.uint8)
        for _ in range(0 if i in empty else 4):
            x, y, z = (random.integers(0, n - 2) for n in SHAPE)
            mask[x : x + 4, y : y + 3, z : z + 2] = random.choice(labels)
        found.append(mask)
    return found


def folder(volumes: list[np.ndarray], below: str = "") -> dict[str, bytes]:
    return {f"{below}{case}.nii": nifti(v, AFFINE) for case, v in zip(CASES, volumes, strict=True)}


def scored(name: str, truth: list[np.ndarray], sent: dict[str, bytes], **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge(name)
    cases = challenge.read_truth(folder(truth), "truth")
    return challenge.score(cases, challenge.read_predictions(sent, cases, "sent"), resamples=0, **options)


def dice(true: np.ndarray, guess: np.ndarray, both_empty: float = 1.0) -> float:
    total = true.sum() + guess.sum()
    return 2 * (true & guess).sum() / total if total else both_empty


def mean_dice(truth, guesses, regions, both_empty: float = 1.0) -> float:
    """Mean over the cases of each region, then over the regions."""
    pairs = list(zip(truth, guesses, strict=True))
    return np.mean(
        [
            np.nanmean([dice(np.isin(t, wanted), np.isin(g, wanted), both_empty) for t, g in pairs])
            for wanted in regions
        ]
    )


def with_lesions(truth, guesses) -> float:
    """AutoPET: the mean Dice of patients with a lesion."""
    return np.mean([dice(t > 0, g > 0) for t, g in zip(truth, guesses, strict=True) if t.any()])


OFFICIAL = {
    "siim-pneumothorax": ((1,), lambda t, g: mean_dice(t, g, [[1]])),
    "kits19": ((1, 2), lambda t, g: mean_dice(t, g, [[1, 2], [2]])),
    "lits17": ((1, 2), lambda t, g: mean_dice(t, g, [[2]])),
    "msd-hippocampus": ((1, 2), lambda t, g: mean_dice(t, g, [[1], [2]])),
    "brats2021": ((1, 2, 4), lambda t, g: mean_dice(t, g, [[1, 2, 4], [1, 4], [4]])),
    "autopet2022": ((1,), with_lesions),
}


def test_every_file_of_masks_is_held_to_its_formula():
    of_masks = [file.name for file in library.known() if file.declaration.task == "segmentation"]
    assert sorted(of_masks) == sorted(OFFICIAL)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", OFFICIAL)
def test_the_score_is_the_official_one(name, seed):
    labels, official = OFFICIAL[name]
    truth, guesses = masks(seed, labels, (0, 1)), masks(seed + 10, labels, (1, 2))
    found = scored(name, truth, folder(guesses, "deep/below/"))
    assert found.score == pytest.approx(official(truth, guesses), abs=1e-12)


def test_false_volumes_are_those_of_lesions_that_touch_nothing():
    truth, guesses = masks(1, (1,), (0,)), masks(2, (1,), (3,))
    found, structure = scored("autopet2022", truth, folder(guesses)), np.ones((3, 3, 3), bool)
    structure[::2, ::2, ::2] = False  # faces and edges
    voxel_ml = 0.5 * 0.8 * 3 / 1000

    def untouched(mask: np.ndarray, other: np.ndarray) -> float:
        lesions, n = scipy.ndimage.label(mask, structure)
        return sum((lesions == k).sum() for k in range(1, n + 1) if not other[lesions == k].any()) * voxel_ml

    pairs = list(zip(truth, guesses, strict=True))
    false = np.mean([untouched(g > 0, t > 0) for t, g in pairs])
    missed = np.mean([untouched(t > 0, g > 0) for t, g in pairs if t.any()])
    assert found.metrics["false_positive_volume"] == pytest.approx(false, rel=1e-6)
    assert found.metrics["false_negative_volume_skip"] == pytest.approx(missed, rel=1e-6)


def test_a_mask_stored_in_another_orientation_is_the_same_and_one_elsewhere_is_refused():
    truth, guesses = masks(4, (1, 2)), masks(5, (1, 2))
    plain = scored("kits19", truth, folder(guesses))
    flipped = AFFINE.copy()
    flipped[0] *= -1
    flipped[0, 3] = 0.5 * (SHAPE[0] - 1)
    turned = {f"{c}.nii": nifti(g[::-1], flipped) for c, g in zip(CASES, guesses, strict=True)}
    assert scored("kits19", truth, turned).score == plain.score
    moved = {**folder(guesses), f"{CASES[3]}.nii": nifti(guesses[3], np.diag([1.0, 1, 1, 1]))}
    problems = refused(scored, "kits19", truth, moved).problems
    assert [(p.code, CASES[3] in p.message) for p in problems] == [("wrong-grid", True)]


WORST = """id = "worst"
title = "Worst"
task = "segmentation"
report = [{metric = "iou"}, {metric = "nsd", tolerance_mm = 2}, {metric = "lesion_f1"},
  {metric = "lesion_dice"}, {metric = "hd95"}, {metric = "assd", worst_mm = 50},
  {metric = "volume_difference"}, {metric = "false_positive_volume"}, {metric = "false_negative_volume"}]
[regions]
spleen = [1, 2]
lesion = [2]
[predictions]
missing = "worst"
[score]
metric = "dice"
"""


@pytest.mark.parametrize("labels", [(1, 2), (1,), ()], ids=["both", "no lesion", "nothing"])
def test_a_missing_mask_has_the_worst_value_of_every_metric_whatever_the_truth_holds(labels):
    truth = [np.zeros(SHAPE, np.uint8) for _ in CASES]
    for place, label in enumerate(labels):
        truth[0][2:8, 2 + 3 * place : 5 + 3 * place, 1:4] = label
    challenge = library.of_text(WORST, "worst.toml")
    cases = challenge.read_truth(folder(truth))
    sent = folder(truth)
    del sent[f"{CASES[0]}.nii"]
    card = challenge.score(cases, challenge.read_predictions(sent, cases), resamples=0)
    voxel_ml, voxels = 0.5 * 0.8 * 3 / 1000, np.prod(SHAPE)
    held = np.array([np.isin(truth[0], wanted).sum() for wanted in ([1, 2], [2])])
    expected = dict.fromkeys(("dice", "iou", "nsd_2", "lesion_f1", "lesion_dice"), 0.0)
    expected |= {"hd95": np.linalg.norm(np.multiply(SHAPE, np.diag(AFFINE)[:3])), "assd_50": 50.0}
    expected["volume_difference"] = (voxels - held).mean() * voxel_ml
    expected["false_positive_volume"] = (voxels - held).mean() * voxel_ml
    expected["false_negative_volume"] = held.mean() * voxel_ml
    assert {name: card.cases[0][name] for name in expected} == pytest.approx(expected, rel=1e-5)
    assert card.score == pytest.approx(7 / 8)


def test_a_missing_mask_is_the_worst_answer_or_refuses():
    truth, guesses = masks(6, (1, 2), (3,)), masks(7, (1, 2))
    sent = folder(guesses)
    for gone in (2, 3):
        del sent[f"{CASES[gone]}.nii"]
        guesses[gone] = np.zeros(SHAPE, np.uint8)
        guesses[gone][np.unravel_index(truth[gone].argmin(), SHAPE)] = 2
    found = scored("kits19", truth, sent)
    assert found.score == pytest.approx(mean_dice(truth, guesses, [[1, 2], [2]]), abs=1e-12)
    assert found.incomplete == "2 of 8 cases have no prediction and count as wrong"
    text = library.GALLERY.joinpath("kits19.toml").read_text().replace('"worst"', '"refuse"')
    challenge = library.of_text(text, "k.toml")
    cases = challenge.read_truth(folder(truth))
    predictions = challenge.read_predictions(sent, cases)
    assert codes(refused(challenge.score, cases, predictions).problems) == ["missing-case"] * 2


def test_a_value_of_no_region_is_warned_of_in_the_file_that_holds_it():
    truth = masks(8, (1, 2))
    guesses = [np.where(t == 2, 7, t) if i == 4 else t for i, t in enumerate(truth)]
    challenge = scoring.load_challenge("kits19")
    cases = challenge.read_truth(folder(truth))
    found = challenge.read_predictions(folder(guesses), cases).findings
    assert [(f.code, f.where) for f in found] == [("unused-label", f"{CASES[4]}.nii")]
    assert "7" in found[0].message


def test_a_region_that_no_mask_of_the_truth_has_is_warned_of():
    declaration = library.declaration_of(scoring.load_challenge("kits19").id)
    region, values = [*declaration.regions.items()][-1]
    challenge, other = scoring.load_challenge("kits19"), next(v for v in (1, 2) if v not in values)
    (found,) = challenge.read_truth(folder(masks(8, (other,)))).findings
    assert found.code == "absent-class"
    assert f"the region {region}" in found.message
    assert challenge.read_truth(folder(masks(8, (1, 2)))).findings == ()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
def test_a_mask_with_a_number_that_is_no_label_is_refused_without_a_warning(value):
    """Infinity gave a warning of NumPy beside the answer."""
    truth = masks(8, (1, 2))
    sent = folder(truth)
    sent[f"{CASES[1]}.nii"] = nifti(np.where(truth[1] > 0, value, 0), AFFINE, "<f4")
    assert codes(refused(scored, "kits19", truth, sent).problems) == ["bad-label"]


def test_a_value_of_a_region_that_no_mask_holds_is_warned_of():
    challenge = library.of_text(WORST.replace("[2]", "[2, 3]"), "worst.toml")
    (found,) = challenge.read_truth(folder(masks(8, (1, 2)))).findings
    assert "no mask contains the value 3, which the region lesion also lists" in found.message


def test_an_unknown_metric_is_the_only_problem_of_a_ranking_by_it():
    wrong = WORST.replace('[score]\nmetric = "dice"', '[score]\nmetric = "dicee"')
    wrong += '[ranking]\nby = "mean_rank"\nmetrics = ["dice", "hd95"]\n'
    problems = refused(library.of_text, wrong, "w.toml").problems
    assert codes(problems) == ["unknown-metric"]


def test_what_is_no_label_map_is_refused_with_every_file():
    truth = masks(8, (1, 2))
    sent = folder(truth)
    sent[f"{CASES[0]}.nii"] = b"no volume"
    sent[f"{CASES[1]}.nii"] = nifti(truth[1] * 0.5, AFFINE, "<f4")
    sent[f"below/{CASES[2]}.nii.gz"] = sent[f"{CASES[2]}.nii"]
    problems = refused(scored, "kits19", truth, sent).problems
    assert sorted(codes(problems)) == ["bad-label", "duplicate-case", "unreadable-file"]


def test_brats_orders_teams_by_their_ranks_in_every_case_and_region():
    challenge, truth = scoring.load_challenge("brats2021"), masks(9, (1, 2, 4))
    cases = challenge.read_truth(folder(truth))
    near = [np.where(np.arange(SHAPE[0])[:, None, None] % 6, t, 0).astype(np.uint8) for t in truth]
    sent = {"near": near, "far": masks(20, (1, 2, 4)), "none": [np.zeros(SHAPE, np.uint8)] * 8}
    teams = {name: challenge.read_predictions(folder(volumes), cases) for name, volumes in sent.items()}
    found = compare(challenge, cases, teams, resamples=0)
    losses = np.array([found.cards[name].arrays["case_losses"][:, 1:] for name in sent])
    ranks = scipy.stats.rankdata(np.round(losses, 12), axis=0).mean((1, 2))
    assert [found.team(name)["mean_rank"] for name in sent] == pytest.approx(ranks.tolist())
    assert found.ranks["near"] == 1


def test_the_command_line_scores_reports_and_compares_masks(tmp_path):
    truth, guesses = masks(11, (1, 2)), masks(12, (1, 2))
    for name, volumes in (("truth", truth), ("a", guesses), ("b", truth)):
        (tmp_path / name).mkdir()
        for file, data in folder(volumes).items():
            (tmp_path / name / file).write_bytes(data)
    common = ("kits19", "--truth", tmp_path / "truth", "--resamples", 50)
    made = ("--predictions", tmp_path / "a", "--html", tmp_path / "r.html", "--json", "-")
    done = run("score", *common, *made)
    assert done.status == 0, done.err
    assert done.json["per_class"].keys() == {"kidney", "tumor"}
    teams = [f"{name}={tmp_path / name}" for name in "ab"]
    done = run("compare", *common, *teams, "--html", tmp_path / "c.html", "--json", "-")
    assert done.status == 0, done.err
    assert [team["team"] for team in done.json["teams"]] == ["b", "a"]


def test_no_interval_of_distances_ends_beyond_the_longest_in_the_images(tmp_path):
    declared = """id = "far"
title = "Far"
task = "segmentation"
[regions]
tumour = [1]
[score]
metric = "hd95"
"""
    (tmp_path / "far.toml").write_text(declared, encoding="utf-8")
    truth = masks(5, (1,))
    near = [np.roll(mask, 1, axis=0) for mask in truth]
    near[0] = np.zeros_like(near[0])
    challenge = scoring.load_challenge(str(tmp_path / "far.toml"))
    cases = challenge.read_truth(folder(truth), "truth")
    card = challenge.score(cases, challenge.read_predictions(folder(near), cases, "sent"), resamples=300)
    diagonal = np.linalg.norm(np.array(SHAPE) * np.diag(AFFINE)[:3])
    intervals = [card.intervals["score"], card.intervals["hd95"], card.per_class["tumour"]["hd95_interval"]]
    assert all(0 < low < high <= diagonal + 1e-6 for low, high in intervals)


@pytest.mark.parametrize(
    ("edge", "voxels", "tolerance"), [(0.8, 1, 0.8), (0.6, 1, 0.6), (0.4, 5, 2), (0.7, 1, 0.7)]
)
def test_a_surface_at_the_tolerance_is_within_it_in_nominal_millimetres(tmp_path, edge, voxels, tolerance):
    text = 'id = "t"\ntitle = "T"\ntask = "segmentation"\n[regions]\nbox = [1]\n[score]\nmetric = "nsd"\n'
    (tmp_path / "t.toml").write_text(f"{text}tolerance_mm = {tolerance}\n")
    for name, shift in (("truth", 0), ("sent", voxels)):
        mask = np.zeros((24, 24, 24), np.uint8)
        mask[6 + shift : 14 + shift, 6:14, 6:14] = 1
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.nii").write_bytes(nifti(mask, np.diag([edge, edge, edge, 1])))
    args = (
        *("--truth", tmp_path / "truth", "--predictions", tmp_path / "sent", "--resamples", 0, "--json", "-"),
    )
    assert run("score", tmp_path / "t.toml", *args).json["score"] == 1


@pytest.mark.parametrize("ending", [".nrrd", ".seg.nrrd"])
@pytest.mark.parametrize("is_cropped", [False, True])
def test_masks_of_3d_slicer_have_the_score_of_those_in_nifti(ending, is_cropped):
    truth, guesses = masks(1, (1, 2)), masks(2, (1, 2))
    for guess in guesses:
        guess[:2], guess[:, :1] = 0, 0
    part = (slice(2, None), slice(1, None)) if is_cropped else ()
    offset = (2, 1, 0) if is_cropped else (0, 0, 0)
    written = [nrrd(guess[part], ("Anterior", "Posterior"), offset, affine=AFFINE) for guess in guesses]
    sent = {f"{case}{ending}": data for case, data in zip(CASES, written, strict=True)}
    assert (
        scored("msd-hippocampus", truth, sent).score
        == scored("msd-hippocampus", truth, folder(guesses)).score
    )
    challenge = scoring.load_challenge("msd-hippocampus")
    whole = {f"{c}{ending}": nrrd(m, affine=AFFINE) for c, m in zip(CASES, truth, strict=True)}
    cases = challenge.read_truth(whole, "truth")
    assert challenge.score(cases, challenge.read_predictions(folder(truth), cases), resamples=0).score == 1


def test_labels_whose_names_in_the_header_are_those_of_other_regions_are_refused():
    challenge = scoring.load_challenge("msd-hippocampus")
    truth = masks(1, (1, 2))
    cases = challenge.read_truth(folder(truth), "truth")
    sent = {
        f"{c}.seg.nrrd": nrrd(m, ("Posterior", "anterior"), affine=AFFINE)
        for c, m in zip(CASES, truth, strict=True)
    }
    problems = refused(challenge.read_predictions, sent, cases).problems
    assert codes(problems) == ["label-order"] * len(CASES)
    assert "posterior is 1 instead of 2" in problems[0].message
