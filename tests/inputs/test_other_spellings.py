"""Names that are cases in another spelling: one fix reads all of them, and none that may be two."""

import pytest

from scoring.common.fixes import renamed
from scoring.inputs.fix_suggestions import without_affix

CENTERS = ("HK", "CHUM", "MDA", "USZ", "HGJ", "HMR")
KNOWN = [f"{center}-{number:03}" for center in CENTERS for number in (1, 2, 10)]
ENDED = [f"{name}-a" for name in KNOWN]
SPELLED = {
    "small letters": str.lower,
    "no mark": lambda name: name.replace("-", ""),
    "another mark, small letters": lambda name: name.lower().replace("-", "_"),
    "no zeros": lambda name: name.replace("-00", "-").replace("-0", "-"),
    "an ending": lambda name: f"{name.lower().replace('-', '_')}_0000",
    "a beginning": lambda name: f"sub-{name.replace('-', '')}",
    "both": lambda name: f"case_{name.lower().replace('-', '_')}_pred",
    "files": lambda name: f"masks/{name.replace('-', '')}.nii.gz",
}


@pytest.mark.parametrize(
    ("form", "known"),
    [*((form, KNOWN) for form in SPELLED), *((form, ENDED) for form in SPELLED if form != "no zeros")],
)
def test_names_in_another_spelling_are_offered_as_the_cases(form, known):
    names = {SPELLED[form](name): name for name in known}
    (fix,) = without_affix(names, known)
    for written, name in names.items():
        plain = written.removeprefix("masks/").removesuffix(".nii.gz")
        assert renamed(plain, fix.changes.cases) == name
    assert [renamed(name, fix.changes.cases) for name in known] == known


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (["hk001", "hk_001"], ["HK-001", "HK-002"]),
        (["hk001", "hk002"], ["HK-001", "HK_001", "HK-002", "HK_002"]),
        (["a", "b", "hk001"], ["HK-001"]),
        (["---"], ["HK-001"]),
    ],
)
def test_a_name_that_may_be_two_cases_or_none_is_not_offered(names, known):
    assert without_affix(names, known) == ()
