"""Heads that several tests look at, in large voxels so that they are drawn fast."""

from functools import cache

import numpy as np

from sample_data.generator.headneck import patient, phantom
from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.patient import Patient, Plan
from sample_data.generator.headneck.phantom import Body

GRID = Grid((60, 60, 54), (4.0, 4.0, 4.0))


@cache
def healthy(seed: int) -> Body:
    """Look, do not paint."""
    return phantom.healthy(GRID, np.random.default_rng(seed))


@cache
def ill(seed: int, t_stage: str, n_stage: str) -> Patient:
    return patient.draw(Plan("P-001", "P", seed, GRID, t_stage, n_stage))
