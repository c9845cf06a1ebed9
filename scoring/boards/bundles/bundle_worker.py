"""Reads bundles in a confined process. Once confined, the process cannot import modules."""

from importlib import import_module

from sqlalchemy import create_engine

from scoring.boards.bundles import unpacking
from scoring.challenges import challenge_ids, load_challenge, remember
from scoring.common.text import name_skeleton
from scoring.core import challenge as challenges
from scoring.core.challenge_parts import Lazy

NEEDED_LATER = (
    *(
        "nibabel.nifti1",
        "nibabel.nifti2",
        "pandas",
        "plotly.graph_objects",
        "shapely",
        "sklearn.model_selection",
    ),
    *(f"scipy.{part}" for part in ("ndimage", "optimize", "sparse", "special", "stats")),
)
"""Modules that are otherwise imported on first use; here they are imported before the process is confined."""

for module in NEEDED_LATER:
    import_module(module)
for each in vars(challenges).values():
    if isinstance(each, Lazy):
        each.resolve()
for challenge_id in challenge_ids():
    challenge = load_challenge(challenge_id)
    for each in (*vars(challenge.readers).values(), challenge.scoring.score, challenge.display.views):
        if isinstance(each, Lazy):
            each.resolve()
remember(None)  # declared challenges and their metrics
create_engine("sqlite://").dispose()
name_skeleton("")  # reads its table

unpack_bundle = unpacking.unpack_bundle
