"""What is packed comes out again in the browser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from pages.display.viewer.payload import TYPES, pack
from tests.support.messages import read

KINDS = st.sampled_from([f"{order}{kind}" for kind in TYPES for order in "<>"])
ARRAYS = st.dictionaries(
    st.text(max_size=12), KINDS.flatmap(lambda kind: arrays_of.arrays(kind, st.integers(0, 40))), max_size=5
)
NAMES = [
    "tumor",
    "<img src=x onerror=alert(1)>",
    "</script>",
    "nul\x00",
    '"\\',
    "ядро",
    "\u2028",
    "e\u0301",
    "🔬",
    "",
]


@settings(max_examples=40)
@given(ARRAYS, st.booleans())
def test_round_trip(arrays, deflate):
    head, found = read(pack({"mode": "any"}, arrays, deflate).message())
    assert head["mode"] == "any"
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_bytes_are_kept():
    _, arrays = read(pack({}, {"jpeg": b"\xff\xd8\xff", "more": np.arange(3, dtype="u4")}).message())
    assert arrays["jpeg"].tobytes() == b"\xff\xd8\xff"
    assert arrays["more"].tolist() == [0, 1, 2]


def test_names_stay_as_they_were_uploaded():
    head, _ = read(pack({"classes": NAMES}, {}).message())
    assert head["classes"] == NAMES


@pytest.mark.parametrize("kind", ["f8", "i8", "u2", "?", "U3"])
def test_a_type_that_the_browser_does_not_read_is_refused(kind):
    with pytest.raises(ValueError, match="the browser reads"):
        pack({}, {"x": np.zeros(2, kind)})


def test_the_id_stands_for_all_but_the_view():
    made = pack({"name": "a"}, {"x": np.arange(4, dtype="u1")})
    same, other, named = (
        pack({"name": n}, {"x": np.array(x, "u1")})
        for n, x in (("a", range(4)), ("a", [0, 1, 2, 4]), ("b", range(4)))
    )
    assert made.head["id"] == same.head["id"]
    assert len({one.head["id"] for one in (made, other, named)}) == 3
    assert read(made.message(focus={"index": 3}))[0]["id"] == made.head["id"]
    assert read(made.message(focus={"index": 3}))[0]["focus"] == {"index": 3}


def test_the_same_numbers_as_another_type_are_another_payload():
    assert pack({}, {"x": np.zeros(2, "u4")}).head["id"] != pack({}, {"x": np.zeros(2, "f4")}).head["id"]
