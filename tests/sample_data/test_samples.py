"""Every committed sample is what its tables say, and the generator still draws it."""

import json

import numpy as np
import pytest
from PIL import Image

from sample_data.generator import isic, tricorder3
from sample_data.generator.catalogue import LESIONS, SAMPLES
from sample_data.generator.testset import TURN_RIGHT, UPRIGHT, Entry, entries, stored
from scoring import challenge_ids, load_challenge
from scoring.challenges import samples
from tests.sample_data.committed import ROOT, columns, table, team
from tests.support.thinned import some_rows

LARGEST = {
    "tricorder3": 10_000_000,
    "melanoma": 4_000_000,
    "isic2018": 3_000_000,
    "isic2019": 3_000_000,
}  # bytes of images
ENTRIES = {name: entries(sample.plan) for name, sample in LESIONS.items()}
TEAMS = [(name, team_name) for name, sample in LESIONS.items() for team_name in sample.teams]


def kinds_of(name: str) -> list[Entry]:
    """An ordinary image, and one of each kind that is not."""
    kinds = {(entry.orientation, entry.take): entry for entry in reversed(ENTRIES[name])}
    return list(kinds.values())


def read(name: str, entry: Entry) -> Image.Image:
    return Image.open(ROOT / name / "images" / f"{entry.name}.jpg")


def people(name: str) -> list[dict[str, str]]:
    """Age, location and gender of each image, as its tables have them."""
    if name.startswith("isic"):
        listed = columns(ROOT / name / "metadata.csv")
        sites, sexes = ({word: code for code, word in words.items()} for words in (isic.SITES, isic.SEXES))
        places, genders = map(sites.get, listed["anatom_site_general"]), map(sexes.get, listed["sex"])
        facts = zip(listed["age_approx"], places, genders, strict=True)
    else:
        listed = columns(ROOT / name / "labels.csv")
        facts = zip(listed["Age"], listed["Location"], listed["Gender"], strict=True)
    return [dict(zip(("age", "location", "gender"), fact, strict=True)) for fact in facts]


def rows(name: str) -> list[dict]:
    """What the generator said of each image, put together from the committed tables and the plan."""
    header, *drawing = table(ROOT / name / "drawing.csv")
    drawn = [dict(zip(header[1:], row[1:], strict=True)) for row in drawing]
    return [
        vars(entry) | person | origin
        for entry, person, origin in zip(ENTRIES[name], people(name), drawn, strict=True)
    ]


@pytest.mark.parametrize("name", LESIONS)
def test_images_fit_the_plan_and_the_tables(name):
    sample, drawing = LESIONS[name], columns(ROOT / name / "drawing.csv")
    ids = next(iter(drawing.values()))
    assert list(ids) == [sample.case.format(entry.name) for entry in ENTRIES[name]]
    assert {path.name for path in (ROOT / name / "images").iterdir()} == {
        f"{entry.name}.jpg" for entry in ENTRIES[name]
    }
    for place, entry in enumerate(ENTRIES[name]):
        with read(name, entry) as image:
            assert (image.format, image.mode) == ("JPEG", "RGB")
            assert (
                image.getexif().get(0x0112, UPRIGHT)
                == entry.orientation
                == int(drawing["orientation"][place])
            )
            upright = image.size[::-1] if entry.orientation == TURN_RIGHT else image.size
            assert upright == entry.size == (int(drawing["width"][place]), int(drawing["height"][place]))
    assert sum(entry.orientation == TURN_RIGHT for entry in ENTRIES[name]) == sample.plan.turned


@pytest.mark.parametrize("name", LESIONS)
def test_the_folder_is_small(name):
    assert sum(path.stat().st_size for path in (ROOT / name / "images").iterdir()) <= LARGEST[name]


@pytest.mark.parametrize(
    ("name", "entry"),
    some_rows([(name, entry) for name in LESIONS for entry in kinds_of(name)], 4),
    ids=lambda value: getattr(value, "name", value),
)
def test_the_generator_still_draws_the_committed_images(name, entry):
    drawn = entry.draw()
    committed = np.asarray(read(name, entry).convert("RGB")).astype(int)
    assert np.abs(committed - stored(drawn.picture, entry.orientation)).mean() < 5
    assert rows(name)[ENTRIES[name].index(entry)]["look"] == drawn.look


@pytest.mark.parametrize("name", LESIONS)
def test_tables_are_written_as_committed(name, tmp_path):
    LESIONS[name].write_tables(rows(name), tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert written == sorted(
        path.name for path in (ROOT / name).iterdir() if path.is_file() and path.name != "models.json"
    )
    for file in written:
        assert (tmp_path / file).read_bytes() == (ROOT / name / file).read_bytes()
    for team_name in LESIONS[name].teams:
        assert np.abs(team(team_name, tmp_path) - team(team_name, ROOT / name)).max() < 2e-4


@pytest.mark.parametrize(("name", "team_name"), TEAMS)
def test_team_files_name_every_case_and_column(name, team_name):
    header, *lines = table(ROOT / name / "teams" / f"{team_name}.csv")
    assert header == list(LESIONS[name].header)
    assert [row[0] for row in lines] == [LESIONS[name].case.format(entry.name) for entry in ENTRIES[name]]
    assert np.isfinite(team(team_name, ROOT / name)).all()


@pytest.mark.parametrize("name", SAMPLES)
def test_teams_are_described(name):
    about = json.loads((ROOT / name / "teams.json").read_text(encoding="utf-8"))
    assert list(about) == list(SAMPLES[name].teams)
    assert all(
        {"title", "about"} <= set(one) <= {"title", "about", "model_size_mib"} for one in about.values()
    )


def test_every_sample_is_offered_and_every_file_that_is_offered_is_there():
    offered = [a_set for challenge in challenge_ids() for a_set in samples.test_sets(challenge).values()]
    assert set(SAMPLES) <= {a_set.name for a_set in offered}
    for a_set in offered:
        assert a_set.submissions
        if a_set.name in SAMPLES:
            assert set(SAMPLES[a_set.name].teams) <= set(a_set.submissions)
        assert all(one.path.exists() for one in a_set.submissions.values())


@pytest.mark.parametrize("place", [40, 219])
def test_the_generator_still_draws_the_committed_people(place):
    entry = ENTRIES["tricorder3"][place]
    person = entry.draw().demographics
    assert table(ROOT / "tricorder3" / "labels.csv")[1 + place] == [
        tricorder3.SAMPLE.case.format(entry.name),
        entry.symbol,
        str(person.age),
        person.location,
        person.gender,
    ]


@pytest.mark.parametrize("name", [name for name in LESIONS if name != "tricorder3"])
def test_the_challenge_reads_a_sample_and_its_teams_without_a_finding(name):
    challenge = load_challenge(name[:4] if name.startswith("isic") else name)
    truth = challenge.read_truth(ROOT / name)
    assert list(truth.findings) == []
    for team_name in LESIONS[name].teams:
        predictions = challenge.read_predictions(ROOT / name / "teams" / f"{team_name}.csv", truth)
        expected = {"labels-only"} if team_name == "iris" else set()
        assert {finding.code for finding in predictions.findings} - {"undecided"} == expected
