"""Plans become files: as many, of the sizes, and stored as said."""

import io
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from sample_data.generator.testset import TURN_RIGHT, ClassPlan, Plan, encode, entries, stored, write_images

counts = st.dictionaries(st.sampled_from(["MEL", "NV", "BCC", "DF"]), st.integers(1, 9), min_size=1)


def plan(counts: dict[str, int], seed: int = 0, turned: int = 0) -> Plan:
    classes = tuple(ClassPlan(symbol.lower(), symbol, count) for symbol, count in counts.items())
    return Plan(classes, ((512, 512), (640, 512)), (0.5, 0.5), seed, turned=turned)


@given(counts, st.integers(0, 1000))
def test_entries_hold_what_was_planned(counts, seed):
    listed = entries(plan(counts, seed, turned=1))
    assert {symbol: sum(entry.symbol == symbol for entry in listed) for symbol in counts} == counts
    assert all(entry.label == entry.symbol.lower() for entry in listed)
    assert [entry.name for entry in listed] == [
        f"L{place:04d}" for place in range(1, sum(counts.values()) + 1)
    ]
    assert len({entry.seed for entry in listed}) == len(listed)
    assert sum(entry.orientation == TURN_RIGHT for entry in listed) == 1
    assert listed == entries(plan(counts, seed, turned=1))


def test_order_is_shuffled():
    symbols = [entry.symbol for entry in entries(plan({"MEL": 20, "NV": 20}))]
    assert symbols != sorted(symbols)


@given(counts, st.integers(0, 1000), st.data())
def test_further_pictures_are_of_the_same_lesions(counts, seed, data):
    lesions = sum(counts.values())
    retaken = data.draw(st.integers(0, lesions))
    listed = entries(replace(plan(counts, seed), retaken=retaken))
    assert [entry.name for entry in listed] == [f"L{place:04d}" for place in range(1, lesions + retaken + 1)]
    assert {entry.lesion for entry in listed} == set(range(lesions))
    assert len({(entry.lesion, entry.take) for entry in listed}) == len(listed)
    assert len({(entry.lesion, entry.label, entry.seed, entry.size) for entry in listed}) == lesions
    for entry in listed:
        assert entry.take == 0 or any(
            (other.lesion, other.take) == (entry.lesion, entry.take - 1) for other in listed
        )


def test_labels_keep_the_plans_order_and_name_each_once():
    classes = (ClassPlan("rare", "DF", 1), ClassPlan("other", "NV", 1), ClassPlan("rare", "BCC", 1))
    assert Plan(classes, ((512, 512),), (1,), 0).labels == ("rare", "other")


def test_a_turned_file_is_set_upright_by_its_orientation():
    picture = np.zeros((512, 640, 3), np.uint8)
    picture[:256, :, 0] = 255
    file = Image.open(io.BytesIO(encode(picture, 82, TURN_RIGHT)))
    assert file.size == (512, 640)
    upright = np.asarray(ImageOps.exif_transpose(file)).astype(int)
    assert np.abs(upright - picture).mean() < 2
    assert np.array_equal(np.asarray(file.convert("RGB")).shape, stored(picture, TURN_RIGHT).shape)


def test_an_upright_file_carries_no_metadata():
    file = Image.open(io.BytesIO(encode(np.full((512, 512, 3), 128, np.uint8), 82)))
    assert len(file.getexif()) == 0
    assert "exif" not in file.info


def test_written_files_are_the_drawn_cases(tmp_path):
    a_plan = plan({"NV": 1, "VASC": 1}, seed=11)
    rows = write_images(a_plan, tmp_path, workers=1)
    for row, entry in zip(rows, entries(a_plan), strict=True):
        drawn = entry.draw()
        assert (row["age"], row["look"], row["label"]) == (drawn.demographics.age, drawn.look, entry.label)
        image = np.asarray(Image.open(tmp_path / "images" / f"{row['name']}.jpg")).astype(int)
        assert np.abs(image - drawn.picture).mean() < 4
        assert (np.asarray(Image.open(tmp_path / "masks" / f"{row['name']}.png")) == drawn.mask).all()
