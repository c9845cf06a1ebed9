"""A part of the cases that is submitted is scored as that part: as if the truth had these cases alone."""

import csv
import io
import zipfile
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scoring
from scoring.challenges import samples
from scoring.cli.output import flags_of
from scoring.common.findings import Finding, distinct
from scoring.inputs.sources import open_source
from scoring.presentation.figures.number_format import share
from scoring.presentation.html import views_of
from scoring.presentation.paper import archive
from tests.support.command_line import run
from tests.support.declared_kinds import KINDS
from tests.support.soak import FACTOR

SAMPLES = ("isic", "tricorder3", "melanoma", "puma", "hecktor2026")
DECLARED = ("classes", "sum", "labels", "error", "survival", "masks")
"""Not points and boxes: there a case without a row is one in which nothing was found."""
Files = dict[str, bytes]


def files_of(source) -> Files:
    files = open_source(source)
    return {
        name: files.read(name) for name in files.members if name.endswith(("csv", "json", "nii.gz", "nii"))
    }


@cache
def given_files(challenge_id: str) -> tuple[scoring.core.challenge.Challenge, Files, Files]:
    """Challenge, files of the truth, files of a submission."""
    if challenge_id in DECLARED:
        kind = KINDS[challenge_id]
        made = (kind.made(np.random.default_rng(k), share) for k, share in enumerate((0.0, 0.25)))
        truth, sent = ({"t.csv": data.encode()} if isinstance(data, str) else files_of(data) for data in made)
        return kind.challenge, truth, sent
    chosen = next(iter(samples.test_sets(challenge_id).values()))
    team = next(team for team in chosen.submissions.values() if not team.is_model)
    beside = ("drawing.csv", "metadata.csv", ".json", "teams/", "models/", "images/")
    truth = {
        name: data
        for name, data in files_of(chosen.path).items()
        if challenge_id == "puma" or not (name.startswith(beside) or name.endswith(beside) or "__" in name)
    }
    return scoring.load_challenge(challenge_id), truth, files_of(team.path)


@cache
def truth_of(challenge_id: str):
    challenge, files, _ = given_files(challenge_id)
    return challenge.read_truth(files)


def only(files: Files, cases: set[str]) -> Files:
    """Rows of tables and files that are of some cases."""
    kept = {}
    for name, data in files.items():
        if name.endswith(".csv"):
            header, *rows = csv.reader(io.StringIO(data.decode()))
            text = io.StringIO()
            wanted = [row for row in rows if row[0] in cases or row[0].removesuffix(".jpg") in cases]
            csv.writer(text, lineterminator="\n").writerows([header, *wanted])
            kept[name] = text.getvalue().encode()
        elif any(case in name for case in cases):
            kept[name] = data
    return kept


def part_card(challenge, truth, sent: Files, **options):
    part = challenge.submitted_part(truth, sent, "mine")
    return challenge.score(part, challenge.read_predictions(sent, part, "mine"), resamples=0, **options)


def noticed(challenge, truth, sent: Files) -> tuple[Finding, ...]:
    """What is said of a submission that is scored as it is, or refused."""
    try:
        return challenge.score(truth, challenge.read_predictions(sent, truth, "mine"), resamples=0).findings
    except scoring.InputRefused as refused:
        return refused.problems


@pytest.mark.parametrize("challenge_id", [*SAMPLES, "classes", "masks"])
def test_a_third_of_the_cases_offers_to_score_them_alone_and_that_is_never_official(challenge_id):
    challenge, _, sent = given_files(challenge_id)
    truth = truth_of(challenge_id)
    some = truth.ids[: len(truth.ids) // 3]
    few = only(sent, {*some})
    offers = distinct(fix for found in noticed(challenge, truth, few) for fix in found.fixes)
    n = len(truth.ids) - len(some)
    label = f"Leave out {n} missing cases (unofficial)"
    assert label in [fix.label for fix in offers if fix.changes.submitted_only]
    card = part_card(challenge, truth, few)
    assert not card.official.same
    assert card.official.badge() == "not an official score"
    assert f"{len(some)} of {len(truth.ids)} cases were submitted" in card.official.reason
    assert card.incomplete.startswith(f"the {n} others were not submitted and are left out")
    assert [found.code for found in card.findings].count("not-submitted") == 1
    assert not any(fix.changes.submitted_only for found in card.findings for fix in found.fixes)
    assert len(card.cases) == len(some)
    whole = part_card(challenge, truth, sent)
    assert "submitted_only" not in whole.provenance["options"]


@pytest.mark.parametrize("challenge_id", [*SAMPLES, *DECLARED])
@settings(max_examples=2 * FACTOR, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**31))
def test_the_number_of_a_part_is_that_of_a_truth_with_these_cases_alone(challenge_id, seed):
    challenge, files, sent = given_files(challenge_id)
    truth = truth_of(challenge_id)
    random = np.random.default_rng(seed)
    n = int(random.integers(len(truth.ids) // 3, len(truth.ids)))
    some = {truth.ids[k] for k in random.permutation(len(truth.ids))[:n]}
    few = only(sent, some)
    card = part_card(challenge, truth, few)
    alone = challenge.read_truth(only(files, some))
    right = challenge.score(alone, challenge.read_predictions(few, alone, "mine"), resamples=0)
    assert card.n_cases == right.n_cases == n
    assert card.score == right.score
    assert card.metrics == right.metrics
    assert card.per_class == right.per_class


def test_the_command_line_names_the_option_and_takes_it(tmp_path):
    challenge, files, sent = given_files("isic")
    truth = truth_of("isic")
    (tmp_path / "t.csv").write_bytes(next(iter(files.values())))
    few = only(sent, {*truth.ids[:102]})
    (tmp_path / "p.csv").write_bytes(next(iter(few.values())))
    given_paths = ("score", "isic", "--truth", tmp_path / "t.csv", "--predictions", tmp_path / "p.csv")
    assert run(*given_paths).status == 2
    (fix,) = distinct(fix for found in noticed(challenge, truth, few) for fix in found.fixes)
    assert [*flags_of(fix)] == ["--submitted-only"]
    done = run(*given_paths, "--submitted-only", "--resamples", 0)
    assert done.status == 0
    assert (
        "Not an official score.\nIncomplete: the 204 others were not submitted and are left out." in done.out
    )
    card = run(*given_paths, "--submitted-only", "--resamples", 0, "--json", "-").json
    assert card["score"] == part_card(challenge, truth, few).score
    assert card["official"]["badge"] == "not an official score"


def test_a_subtask_alone_stands_before_the_weighted_score_and_is_never_called_official():
    challenge, _, sent = given_files("hecktor2026")
    truth = truth_of("hecktor2026")
    masks = {name: data for name, data in sent.items() if not name.endswith(".csv")}
    card = challenge.score(truth, challenge.read_predictions(masks, truth, "mine"), resamples=0)
    head, whole = views_of(card).headline, challenge.read_predictions(sent, truth, "mine")
    complete = challenge.score(truth, whole, resamples=0)
    assert card.metrics["segmentation"] == complete.metrics["segmentation"]
    assert head.score.name == "only Segmentation was submitted"
    assert head.score.value == share(complete.metrics["segmentation"])
    assert (head.facts[0].name, head.facts[0].value) == ("Weighted score", share(card.score))
    assert (head.status.is_official, head.status.badge) == (False, "not an official score")
    text = zipfile.ZipFile(io.BytesIO(archive.of_card(card))).read("methods.txt").decode()
    assert f"only Segmentation was submitted is {head.score.value}. Not an official score" in text
    assert views_of(complete).headline.score.name == "Weighted score"
    assert views_of(complete).headline.status.is_official


def test_terminal_and_json_say_of_a_subtask_alone_what_the_page_says(tmp_path):
    _, files, sent = given_files("hecktor2026")
    for place, held in {"truth": files, "sent": sent, "masks": {**sent, "predictions.csv": b""}}.items():
        for name, data in held.items():
            path = tmp_path / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if data:
                path.write_bytes(data)

    def paths(place):
        return ("score", "hecktor2026", "--truth", tmp_path / "truth", "--predictions", tmp_path / place)

    card = run(*paths("masks"), "--resamples", 0, "--json", "-").json
    whole = run(*paths("sent"), "--resamples", 0, "--json", "-").json
    assert card["submitted_part"] == "segmentation"
    assert [*card].index("submitted_part") < [*card].index("score")
    assert card["metrics"]["segmentation"] == whole["metrics"]["segmentation"]
    assert card["score"] == card["metrics"]["weighted_score"] < whole["score"]
    assert (card["official"]["same"], card["official"]["badge"]) == (False, "not an official score")
    assert "Only segmentation was submitted" in card["official"]["reason"]
    assert "submitted_part" not in whole
    assert whole["official"]["same"]
    lines = run(*paths("masks"), "--resamples", 0).out.splitlines()
    share_of_part = card["metrics"]["segmentation"]
    assert lines[0].startswith(
        f"hecktor2026: segmentation {share_of_part!r}, other parts not submitted; score "
    )
    assert lines[1] == "Not an official score."
    rows = lines[lines.index("") + 1 :]
    assert rows[0].split() == ["segmentation", f"{share_of_part:.4f}"]
    assert rows[1].startswith("score (0..1)")


@pytest.mark.parametrize("flags", [["--submitted-only"], ["--rename-cases", "a=b"]])
@pytest.mark.parametrize("command", ["score", "check"])
def test_what_says_how_predictions_are_read_is_refused_beside_a_model(command, flags, tmp_path):
    chosen = next(iter(samples.test_sets("melanoma").values()))
    model = next(team.path for team in chosen.submissions.values() if team.is_model)
    done = run(command, "melanoma", "--truth", chosen.path, "--model", model, *flags)
    assert done.status == 2
    assert f"{flags[0]}: this option sets how a prediction file is read, but a model was given" in done.err


def test_the_library_scores_the_submitted_cases_alone():
    challenge, files, sent = given_files("isic")
    truth = truth_of("isic")
    few = only(sent, {*truth.ids[:102]})
    given = {"truth": files, "predictions": few, "resamples": 0}
    with pytest.raises(scoring.InputRefused):
        scoring.score("isic", **given)
    card = scoring.score("isic", **given, submitted_only=True)
    assert (card.score, card.n_cases) == (part_card(challenge, truth, few).score, 102)
    assert not card.official.same
    with pytest.raises(TypeError, match="files of predictions"):
        scoring.score("isic", truth=files, model="m.onnx", submitted_only=True)


def test_one_patient_with_masks_alone_is_no_absent_patient():
    challenge, _, sent = given_files("hecktor2026")
    truth = truth_of("hecktor2026")
    masks = {name: data for name, data in sent.items() if not name.endswith(".csv")}
    submission = challenge.read_predictions(masks, truth, "mine")
    assert {*submission.absent} == {*truth.ids} - {name.split(".")[0] for name in masks}
