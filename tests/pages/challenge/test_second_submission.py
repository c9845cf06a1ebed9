"""A second submission on the page of a challenge: the difference is that of the comparison."""

import pytest

import scoring
from scoring.challenges import REGISTRY, samples
from scoring.comparison import display, two_submissions
from scoring.comparison.compare import compare_cards
from tests.support.thinned import some
from tests.support.visits import words


@pytest.mark.parametrize("challenge_id", some(REGISTRY, 4))
def test_a_second_sample_team_is_compared_at_once_and_by_a_link(opened, challenge_id):
    sample = next(iter(samples.test_sets(challenge_id).values()))
    first, second, *_ = [key for key, team in sample.submissions.items() if not team.is_model]
    app = opened(challenge_id, submission=first, **{"with": second, "tab": "Difference"})
    assert not app.exception
    assert not app.error
    titles = [sample.submissions[key].title for key in (first, second)]
    assert f"{titles[0]} scores " in words(app).replace("*", "")
    assert "In which cases do they differ?" in words(app)
    assert f"Is {titles[0]} better than {titles[1]}?" in words(app)


def test_the_difference_of_an_own_file_is_that_of_the_comparison(opened):
    challenge = scoring.load_challenge("melanoma")
    sample = samples.test_sets("melanoma")["sample"]
    keys = [key for key, team in sample.submissions.items() if not team.is_model][:2]
    teams = [sample.submissions[key] for key in keys]
    app = opened("melanoma", submission=keys[0])
    name, content = "newer.csv", teams[1].path.read_bytes()
    app.file_uploader(key="melanoma_second_files").upload(name, content).run()
    assert not app.exception
    truth = challenge.read_truth(sample.path)
    cards = {
        title: challenge.score(truth, challenge.read_predictions(path, truth))
        for title, path in ((teams[0].title, teams[0].path), (name, teams[1].path))
    }
    shown = display.of(compare_cards(challenge, cards))
    answer = two_submissions.summary(shown, teams[0].title, name)
    assert any(answer in element.value for element in app.markdown)
