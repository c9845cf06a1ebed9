"""Which case a row belongs to, against the rule stated in plain loops."""

import os.path

from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs.case_ids import AMBIGUOUS, EXTRA, match

NAME = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "./", "x/", "y/", "x\\", " "]),
        st.sampled_from(["a", "b", "a.b", ".c"]),
        st.sampled_from(["", ".jpg", ".png"]),
        st.sampled_from(["", " "]),
    ),
)


def plain_match(row: str, cases: list[str]) -> tuple[int, tuple[int, ...]]:
    """The case of one row and, where several fit, the first set of them."""

    def written(name):
        name = name.strip().replace("\\", "/")
        return name[2:] if name.startswith("./") else name

    ways = [
        written,
        lambda name: written(name).split("/")[-1],
        lambda name: os.path.splitext(written(name).split("/")[-1])[0],
    ]
    several = ()
    for way in ways:
        fits = tuple(i for i, case in enumerate(cases) if way(case) == way(row))
        if len(fits) == 1:
            return fits[0], ()
        several = several or fits
    return (AMBIGUOUS, several) if several else (EXTRA, ())


@given(st.lists(NAME, max_size=6), st.lists(NAME, min_size=1, max_size=6))
def test_match_restated(rows, cases):
    found = match(rows, cases)
    expected = [plain_match(row, cases) for row in rows]
    assert found.case.tolist() == [case for case, _ in expected]
    assert found.candidates == {i: several for i, (_, several) in enumerate(expected) if several}
