"""Every bundle says what to submit, with an example that scores there and tells nothing of the truth."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring.challenges import load_challenge
from scoring.challenges.declared import library
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.writing import box_mask
from scoring.platforms.evaluation import PlatformSettings
from scoring.platforms.submission_page import submission_page
from tests.platforms.test_platforms import CASES, bundle, codabench, evalai, grand_challenge
from tests.support.command_line import ROOT
from tests.support.platform_folders import listed_inputs, unpacked
from tests.support.thinned import crossed

N = 40
GALLERY = {file.name: file.declaration for file in library.known() if not file.is_own}


def truth_of(name: str, seed: int) -> bytes:
    """Return a random truth of a file of the gallery; the seed changes its answers, not names and grids."""
    declaration, random = GALLERY[name], np.random.default_rng(seed)
    wanted, classes = declaration.truth, list(declaration.classes)
    if declaration.task == "segmentation":
        grid, target = Grid((12, 10, 8), np.diag([-0.9, 1.1, 3.0, 1.0])), io.BytesIO()
        values = [value for region in declaration.regions.values() for value in region]
        with zipfile.ZipFile(target, "w") as archive:
            for k in range(6):
                archive.writestr(f"case{k}.mha", box_mask(grid, values[(k + seed) % len(values)]))
        return target.getvalue()
    columns: dict[str, object] = {wanted.case: [f"case {k:03}" for k in range(N)]}
    if wanted.places:
        columns |= {place: random.uniform(0, 9, N) + 20 * (k > 1) for k, place in enumerate(wanted.places)}
    if wanted.label:
        columns[wanted.label] = random.permutation(np.resize(classes, N))
    elif declaration.task in ("classification", "ordinal"):
        columns |= dict(
            zip(classes, np.eye(len(classes), dtype=int)[np.arange(N) % len(classes)].T, strict=True)
        )
    elif declaration.task == "multilabel":
        columns |= {name: random.permutation(np.arange(N) % 2) for name in classes}
    numbers = (wanted.value, wanted.time, wanted.radius)
    columns |= {name: random.uniform(1, 200, N).round(1) for name in numbers if name}
    if wanted.event:
        columns[wanted.event] = random.permutation(np.arange(N) % 2)
    return pd.DataFrame(columns).to_csv(index=False).encode()


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_the_example_of_a_declared_challenge_scores_and_is_the_same_for_another_truth(name):
    challenge = load_challenge(name)
    ending = "zip" if GALLERY[name].task == "segmentation" else "csv"
    made = []
    for seed in (1, 2):
        truth = challenge.read_truth(truth_of(name, seed), f"truth.{ending}")
        made.append(challenge.inputs.example(truth))
    assert made[0] == made[1]
    filename, data = made[0]
    card = challenge.score(truth, challenge.read_predictions(data, truth, filename), resamples=0)
    assert np.isfinite(card.score)


def score_on(platform: str, made: Path, folder: Path) -> dict[str, float]:
    """Take the example out of a bundle, submit it as it is, and return what the leaderboard shows."""
    (example,) = (made / "example").iterdir()
    page = (made / "what-to-submit.md").read_text()
    assert example.name in page
    if platform == "evalai":
        return evalai(made, example).results[1]["accuracies"]
    if platform == "codabench":
        with zipfile.ZipFile(made / "competition.zip") as archive:
            assert archive.read(f"starting_kit/example/{example.name}") == example.read_bytes()
            assert archive.read("starting_kit/what-to-submit.md").decode() == page
        done = codabench(made, example, folder / "app")
        assert done.status == 0, done.err
        return json.loads((folder / "app" / "output" / "scores.json").read_text())
    submitted = unpacked(example, folder / "input")
    listed_inputs(submitted, [])
    done = grand_challenge(made, submitted, folder / "out")
    assert done.status == 0, done.err
    return {"score": json.loads((folder / "out" / "metrics.json").read_text())["score"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("challenge", "platform"),
    crossed([*CASES, "camelyon16-lesions", "brats2021"], ["grand-challenge", "codabench", "evalai"], 3),
)
def test_the_example_of_a_bundle_scores_on_the_platform(challenge, platform, tmp_path):
    if challenge in CASES:
        truth, options = CASES[challenge].truth(tmp_path), CASES[challenge].options
    else:
        ending = "zip" if GALLERY[challenge].task == "segmentation" else "csv"
        truth, options = tmp_path / f"truth.{ending}", ()
        truth.write_bytes(truth_of(challenge, 1))
    made = bundle(challenge, platform, truth, tmp_path / "made", *options)
    scores = score_on(platform, made, tmp_path)
    assert next(iter(scores)) == "score"
    assert np.isfinite([*scores.values()]).all()


def test_the_pages_say_what_to_submit(tmp_path):
    truth = CASES["melanoma"].truth(tmp_path)
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc", "--socket", "answer=risk")
    page = (made / "what-to-submit.md").read_text()
    assert "    filename,score\n    images/M0001.jpg,0.5\n" in page
    assert "to the socket risk" in page
    assert "; higher is better, from 0 to 1." in page
    made = bundle("melanoma", "evalai", truth, tmp_path / "ea")
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        guidelines = archive.read("templates/submission_guidelines.html").decode()
    assert "<pre>filename,score\nimages/M0001.jpg,0.5" in guidelines
    assert "5 submissions a day" in guidelines


def test_the_page_of_masks_asks_for_masks_and_that_of_hecktor_says_what_rfs_is():
    """As `golden/hecktor2026/container-layout` has it: `rfs.json` is read as a time."""
    settings = PlatformSettings("brats2021")
    truth = settings.challenge.read_truth(truth_of("brats2021", 1), "truth.zip")
    page = submission_page(settings, truth, "grand-challenge").markdown().decode()
    assert "writes one mask for a case to one socket of the kind Segmentation" in page
    assert "JSON" not in page
    assert "each mask as MetaImage or NIfTI (.mha, .nii or .nii.gz)" in page
    settings = PlatformSettings("hecktor2026")
    truth = settings.challenge.read_truth(str(ROOT / "sample_data" / "hecktor2026" / "clinical.csv"))
    for platform in ("grand-challenge", "codabench", "evalai"):
        page = submission_page(settings, truth, platform).markdown().decode()
        assert "`rfs.json` and a column RFS are read as a time" in page


def test_the_page_of_an_error_says_that_lower_is_better_and_that_it_has_no_end():
    settings = PlatformSettings("rsna-boneage")
    truth = settings.challenge.read_truth(truth_of("rsna-boneage", 1), "truth.csv")
    for platform in ("grand-challenge", "codabench", "evalai"):
        page = submission_page(settings, truth, platform)
        assert "; lower is better, 0 or more." in page.markdown().decode()
        assert "; lower is better, 0 or more." in page.html().decode()
