"""Measures the images of all sample test sets of the page of single images:
`python -m sample_data.generator.measured_images`."""

from collections.abc import Iterator
from typing import Any

from scoring import challenge_ids, load_challenge
from scoring.challenges import samples
from scoring.single_image import quality, saved_measures


def test_sets() -> Iterator[tuple[str, Any, bool]]:
    """The name of each sample of the page, its cases, and whether they are tiles."""
    for challenge in map(load_challenge, challenge_ids()):
        if challenge.display.single_image is not None:
            tile = challenge.display.single_image.kind == "tile"
            for sample in samples.test_sets(challenge.id).values():
                yield sample.name, challenge.read_truth(sample.path), tile


if __name__ == "__main__":
    saved_measures.PLACE.mkdir(exist_ok=True)
    before = set(saved_measures.PLACE.iterdir())
    after = {saved_measures.save(truth, quality.measured(truth, tile=tile)) for _, truth, tile in test_sets()}
    for path in before - after:
        path.unlink()
