"""Scenes of declared masks: every voxel has the regions of its value, in truth and prediction, also where the
mask is stored another way; images are found by the names of cases."""

import numpy as np

from scoring.challenges.declared import library, scenes
from tests.support.volumes import nifti

TEXT = """id = "s"
title = "S"
task = "segmentation"
[regions]
whole = [1, 2, 300]
core = [2]
[score]
metric = "dice"
"""
AFFINE = np.diag([-1.0, -1.0, -2.0, 1.0])  # axes that grow to the left, back and feet: nothing is turned
SHAPE = (9, 8, 7)


def mask(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).choice([0, 0, 1, 2, 300], SHAPE).astype(np.uint16)


def stored(values: np.ndarray, affine: np.ndarray = AFFINE) -> bytes:
    return nifti(values, affine, dtype="<u2")


def read(truth: dict[str, bytes], sent: dict[str, bytes]):
    challenge = library.of_text(TEXT, "s.toml")
    cases = challenge.read_truth(truth, "truth")
    return library.declaration_of(challenge.id), cases, challenge.read_predictions(sent, cases, "sent")


def test_every_voxel_has_the_regions_of_its_value():
    true, guess = mask(0), mask(1)
    turned = AFFINE.copy()
    turned[0] *= -1
    turned[0, 3] = -(SHAPE[0] - 1)
    declaration, cases, sent = read({"a.nii": stored(true)}, {"a.nii": stored(guess[::-1], turned)})
    names = scenes.label_names(declaration)
    assert names == ("none", "whole", "whole + core", "whole")
    assert scenes.labels_of_regions(declaration) == (("whole", (1, 2, 3)), ("core", (2,)))
    found = scenes.scene(declaration, cases, sent, 0)
    code = {0: 0, 1: 1, 2: 2, 300: 3}
    expected = np.vectorize(lambda t, g: code[t] | code[g] << 4)(true, guess)
    np.testing.assert_array_equal(found.labels, expected)


def test_images_lie_in_their_folder_or_apart_and_are_called_by_the_rest_of_their_names():
    true, image = stored(mask(0)), stored(mask(2) + 1000)
    beside = {"labels/a.nii": true, "imagesTs/a_flair.nii": image, "imagesTs/ab.nii": image}
    declaration, cases, sent = read(beside, {"a.nii": true})
    assert cases.ids == ("a",)
    assert not [finding for finding in cases.findings if finding.code == "ignored-files"]
    (background,) = scenes.scene(declaration, cases, sent, 0).backgrounds
    assert background.name == "flair"
    np.testing.assert_array_equal(background.values * background.scale, mask(2).astype(float) + 1000)
    challenge = library.of_text(TEXT, "s.toml")
    apart = challenge.read_truth({"a.nii": true}, "truth", {"x/a.nii": image})
    assert list(scenes.images_of(apart, "a")) == ["image"]


def test_masks_in_a_folder_of_images_alone_are_masks_still():
    assert read({"images/a.nii": stored(mask(0))}, {"a.nii": stored(mask(0))})[1].ids == ("a",)


def test_a_case_without_a_mask_shows_the_truth():
    text = TEXT.replace("[score]", '[predictions]\nmissing = "worst"\n[score]')
    challenge = library.of_text(text, "s.toml")
    cases = challenge.read_truth({"a.nii": stored(mask(0)), "b.nii": stored(mask(1))}, "truth")
    sent = challenge.read_predictions({"a.nii": stored(mask(2))}, cases, "sent")
    found = scenes.scene(library.declaration_of(challenge.id), cases, sent, 1)
    assert (found.labels >> 4).max() == 0
    assert (found.labels > 0).sum() == (mask(1) > 0).sum()
