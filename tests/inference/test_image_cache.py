"""The cache of prepared pictures: bounded, least recently used first, and keyed by what the pixels depend
on."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inference.image_cache import PictureCache, fair_share, key
from scoring.inference.preprocessing import ImageInfo, Recipe
from scoring.inference.worker_results import PreparedImage

SEEN = ImageInfo(1, 1, "RGB", "PNG", False, 1)


def picture(rows: int, value: int = 0) -> PreparedImage:
    """3 bytes a row."""
    pixels = np.full((rows, 1, 3), value, np.uint8)
    pixels.flags.writeable = False
    return PreparedImage(pixels, SEEN)


def test_the_key_is_the_content_and_the_recipe():
    recipe = Recipe(((4, 4, "lanczos"),))
    assert key(b"a", recipe) == key(bytearray(b"a"), Recipe(((4, 4, "lanczos"),)))
    assert (
        len(
            {
                key(b"a", recipe),
                key(b"b", recipe),
                key(b"a", Recipe(((4, 4, "bicubic"),))),
                key(b"a", Recipe(((4, 5, "lanczos"),))),
            }
        )
        == 4
    )


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 5)), max_size=60))
def test_it_holds_the_last_used_that_fit(steps):
    """Against the plainest cache: a list of (key, rows), the last used last."""
    cache, model = PictureCache(30), []
    for put, name, rows in steps:
        held = dict(model)
        if put:
            cache.put(name, picture(rows, name))
            model = [entry for entry in model if entry[0] != name] + [(name, rows)]
            while sum(size for _, size in model) * 3 > 30:
                model.pop(0)
        else:
            got = cache.get(name)
            assert (got is not None) == (name in held)
            if got is not None:
                assert got.pixels.shape == (held[name], 1, 3)
                assert (got.pixels == name).all()
                model = [entry for entry in model if entry[0] != name] + [(name, held[name])]
        assert cache.held_bytes == 3 * sum(size for _, size in model) <= 30


def test_a_picture_larger_than_the_cache_is_not_kept_and_throws_nothing_out():
    cache = PictureCache(30)
    cache.put("small", picture(2))
    cache.put("large", picture(11))
    assert cache.get("large") is None
    assert cache.get("small") is not None


def test_pixels_that_can_be_written_to_are_refused():
    with pytest.raises(ValueError, match="read-only"):
        PictureCache(30).put("a", PreparedImage(np.zeros((1, 1, 3), np.uint8), SEEN))


def test_cleared_it_holds_nothing():
    cache = PictureCache(30)
    cache.put("a", picture(2))
    cache.clear()
    assert cache.get("a") is None
    assert cache.held_bytes == 0


def test_threads_do_not_upset_the_count():
    cache = PictureCache(60)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for name, rows in zip(
            random.integers(0, 9, 300).tolist(), random.integers(1, 7, 300).tolist(), strict=True
        ):
            cache.put(name, picture(rows))
            cache.get(name)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = [cache.get(name) for name in range(9)]
    assert cache.held_bytes == sum(entry.pixels.nbytes for entry in held if entry is not None) <= 60


def test_the_share_is_at_most_what_is_asked():
    assert 0 < fair_share(1 << 20) <= 1 << 20
    assert fair_share() <= 1 << 30
