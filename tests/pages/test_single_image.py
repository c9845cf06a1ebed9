"""The page of single images as its visitors use it. What it shows is compared with what the batch path says of the same image."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.single import memory
from scoring import samples
from scoring.challenges import load_challenge
from scoring.single import wording
from tests.models import builders
from tests.support import photographs
from tests.support.visits import finished, words

TABS = ("Why", "Operating point", "Cases alike", "What if", "Record")
CLOSING = "Research use only. Not a medical device; no output of this page is a diagnosis."
SKIN = ("tricorder3", "melanoma", "isic")


@pytest.fixture
def single_image(opened):
    return lambda **address: opened("single_image", **address)


def own(app: AppTest, data: bytes, name: str = "jane-doe.jpg") -> AppTest:
    """An own file through the door, after the notice was read."""
    app.segmented_control(key="single_source").set_value("My image").run()
    if app.checkbox:
        app.checkbox(key="single_agreed").set_value(True).run()
    app.file_uploader[0].upload(name, data).run()
    return app.run()


def shown_score(app: AppTest) -> float:
    return float(re.search(r"Highest score: \S+ ([01]\.\d\d)", "\n".join(h.value for h in app.subheader).replace("\\", ""))[1])


@pytest.mark.parametrize("challenge", SKIN)
def test_it_opens_on_a_sample_and_says_what_the_batch_path_says(single_image, challenge):
    app = single_image(challenge=challenge)
    assert not app.exception
    assert not app.error
    sample = next(iter(samples.test_sets(challenge).values()))
    chosen = next(s for s in sample.submissions.values() if s.is_model)
    assert [tab.label for tab in app.tabs] == list(TABS)
    module = load_challenge(challenge)
    truth = module.read_truth(sample.path)
    row = module.predict(chosen.path.read_bytes(), truth).outputs[0]
    highest = max(float(row[0]), 1 - float(row[0])) if len(row) == 1 else float(np.max(row))
    assert shown_score(app) == pytest.approx(highest, abs=0.0051)
