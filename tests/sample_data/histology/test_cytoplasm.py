"""The ground between nuclei has what its tissue and its cells bring."""

from dataclasses import replace

import numpy as np
import pytest

from sample_data.generator.histology.chromatin import grain
from sample_data.generator.histology.cytoplasm import background
from sample_data.generator.histology.placement import populate
from sample_data.generator.histology.tissue import lay
from tests.sample_data.histology.support import MIXED, SKIN, canvas


def ground(setting):
    field = canvas(4)
    tissue = lay(field, setting)
    nuclei = populate(field, setting, tissue)
    return tissue, nuclei, background(field, setting, tissue, nuclei, grain(field))


@pytest.mark.parametrize("setting", [MIXED, SKIN], ids=["mixed", "skin"])
def test_amounts_are_amounts(setting):
    tissue, _, layers = ground(setting)
    for name, values in vars(layers).items():
        assert np.isfinite(values).all()
        assert values.min() >= 0, name
    assert layers.cleared.max() <= 1
    assert (layers.blood[tissue.lumen == 0] == 0).all()


def test_brown_is_around_melanophages_only_where_there_is_no_pigment_besides():
    _, nuclei, layers = ground(MIXED)
    brown = [nucleus for nucleus in nuclei if nucleus.kind == "melanophages"]
    assert brown
    for nucleus in brown:
        x, y = (int(np.clip(at, 0, 255)) for at in nucleus.centre)
        assert layers.melanin[y, x] > 0.05
    assert ground(replace(MIXED, pigment=0.0))[2].melanin.max() == 0
