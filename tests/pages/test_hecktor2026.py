"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

from functools import partial

import pytest

import scoring
from scoring.challenges import samples
from scoring.challenges.hecktor2026 import patients as hecktor_patients
from scoring.challenges.hecktor2026.formula import CHOICES
from scoring.presentation.figures.number_format import decimal, share, span
from tests.pages.page_facts import FACTS, MASKS, PATIENTS, PREDICTED_PATIENTS
from tests.support import patients, visits, volumes
from tests.support.archives import archive_of
from tests.support.thinned import some
from tests.support.visits import open_tab, sample_card, shown_table, words

CHALLENGE = scoring.load_challenge("hecktor2026")
SAMPLE = samples.test_sets("hecktor2026")["sample"]

scorecard = partial(sample_card, "hecktor2026")


def put(app, submission=None, test_set=None):
    """Drop folders, as zips."""
    packed = (files and ("files.zip", archive_of(files)) for files in (submission, test_set))
    return visits.put("hecktor2026", app, *packed)


@pytest.fixture
def hecktor(opened):
    return lambda **address: visits.finished(opened("hecktor2026", **address))


def without(rows, *names):
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


POOR = {
    "no mask in the truth": (patients.truth_folder(PATIENTS), patients.submission_folder(PREDICTED_PATIENTS)),
    "masks alone": (patients.truth_folder([], MASKS), patients.submission_folder([], MASKS)),
    "no stages": (
        patients.truth_folder(without(PATIENTS, "T_stage", "N_stage"), MASKS),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
    ),
    "no survival": (
        patients.truth_folder(without(PATIENTS, "RFS"), MASKS),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
    ),
    "no center": (
        patients.truth_folder(without(PATIENTS, "CenterID"), MASKS),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
    ),
    "nothing but a score": (
        patients.truth_folder(PATIENTS, MASKS),
        patients.submission_folder(without(PREDICTED_PATIENTS, "T_stage", "N_stage")),
    ),
    "one patient": (
        patients.truth_folder(PATIENTS[1:2], {"P1": MASKS["P1"]}),
        patients.submission_folder(PREDICTED_PATIENTS[1:2]),
    ),
    "nobody relapsed": (
        patients.truth_folder([row | {"Relapse": 0} for row in PATIENTS], MASKS),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
    ),
    "every mask empty": (
        patients.truth_folder(PATIENTS, dict.fromkeys(MASKS, patients.labels())),
        patients.submission_folder(PREDICTED_PATIENTS, dict.fromkeys(MASKS, patients.labels())),
    ),
}


@pytest.mark.parametrize("name", some(list(POOR), 4))
def test_every_tab_answers_a_test_set_that_lacks_something(hecktor, name):
    truth, submission = POOR[name]
    card = patients.card(truth, submission)
    app = put(hecktor(), submission, truth)
    for tab in FACTS["hecktor2026"].tabs:
        visits.assert_scored(open_tab(app, tab), "hecktor2026", card.score)


def test_nodes_are_counted_when_they_are_asked_for_and_not_ranked(hecktor):
    app = hecktor(submission="mira")
    assert "detection F1" not in words(app)
    app = visits.finished(app.toggle(key="lesions").set_value(True).run())
    assert app.toggle(key="lesions").value
    m = scorecard("mira", lesions=True).metrics
    assert f"**{share(m['gtvn_detection_f1'])}** " in words(app)
    assert f"**{decimal(m['gtvn_count_error'], 2)}** " in words(app)
    visits.assert_scored(app, "hecktor2026", scorecard("mira").score)
    assert "detection F1" in words(hecktor(submission="mira", lesions="true"))


@pytest.mark.parametrize("team", some(list(SAMPLE.submissions), 2))
def test_three_subtasks_add_up_and_what_was_lacking_is_said(hecktor, team):
    card, said = scorecard(team), words(hecktor(submission=team))
    for metric, (name, _, points) in CHALLENGE.scoring.parts.items():
        assert name in said
        between = span(card.intervals[metric], 3)
        assert f"**{share(card.metrics[metric])}** :small[:gray[{between}]]" in said
        assert f"× {points / 100:.2f} = **{decimal(points / 100 * card.metrics[metric], 4)}**" in said
    assert (
        f"**{share(card.metrics['unweighted_score'])}** "
        f":small[:gray[{decimal(card.metrics['consistency'], 4)} away from the weighted score]]"
    ) in said
    m = card.metrics
    for words_for_one, n in {
        "missing mask": m["n_missing_masks"],
        "malformed mask": m["n_malformed_masks"],
    }.items():
        assert (f"▲ {n} {words_for_one}" in said) is (n > 0)
    assert ("✓ nothing missing, malformed or unknown" in said) is (team != "mira")
    assert f"{decimal(0.25 * m['dice_from_empty_cases'], 4)} of the score" in said


def test_a_direction_that_is_suspect_is_warned_of_and_switched_by_a_click(hecktor):
    app = hecktor(submission="altair")
    assert "switch_direction" not in [button.key for button in app.button]
    app.selectbox(key="prognosis_direction").set_value("risk").run()
    card = scorecard("altair", prognosis_direction="risk")
    assert "direction-suspect" in [finding.code for finding in card.findings]
    assert f"The C-index is **{share(card.metrics['c_index'])}**" in words(app)
    app.button(key="switch_direction").click().run()
    assert app.selectbox(key="prognosis_direction").value == "time"
    visits.assert_scored(app, "hecktor2026", scorecard("altair", prognosis_direction="time").score)


@pytest.mark.parametrize(
    ("team", "direction", "said"),
    [
        (
            "vega",
            "auto",
            "a column of risks. Benchside interprets them as a **risk** (higher means an earlier "
            "relapse), because of the "
            "column's name",
        ),
        (
            "altair",
            "auto",
            "a column of times (RFS). Benchside interprets them as a **time** (lower means an earlier "
            "relapse), because of "
            "the column's name",
        ),
        (
            "vega",
            "time",
            (
                "a column of risks. Benchside interprets them as a **time** (lower means an earlier "
                "relapse), because of the "
                "option"
            ),
        ),
    ],
)
def test_the_direction_that_was_used_is_said(hecktor, team, direction, said):
    assert said in words(hecktor(submission=team, tab="Prognosis", prognosis_direction=direction))


def test_the_panel_of_readings_has_the_score_under_every_other_value(hecktor):
    rows = shown_table(hecktor(submission="mira", tab="Readings"), "reading", "difference")
    others = [
        (value, scorecard("mira", resamples=0, **{option: value}))
        for option, values in CHOICES.items()
        for value in values[1:]
    ]
    usual = scorecard("mira", resamples=0)
    assert rows.iloc[0]["score"] == usual.score
    for row, (value, card) in zip(rows.iloc[1:].itertuples(), others, strict=True):
        assert row.reading.endswith(f": {value}")
        assert row.score == pytest.approx(card.score)
        assert row.difference == pytest.approx(card.score - usual.score)
        assert row.segmentation == pytest.approx(card.metrics["segmentation"])


def test_tables_hold_what_the_card_says(hecktor):
    card = scorecard("mira")
    rows = shown_table(hecktor(submission="mira", tab="Staging"), "stage", "recall")
    for row in rows.itertuples():
        entry = card.per_class[row.stage]
        assert row.recall == entry["recall"]
        assert row.support == f"{entry['support']}{'*' * (entry['support'] < 15)}"
    centers = shown_table(hecktor(submission="mira", tab="Centers"), "center", "comparable_pairs").set_index(
        "center"
    )
    assert {name: centers.loc[name, "c_index"] for name in centers.index} == {
        n: e["c_index"] for n, e in card.more["per_center"].items()
    }
    what = shown_table(hecktor(submission="mira"), "what", "GTVn").set_index("what")
    assert what.loc["pooled over all voxels ↑", "GTVn"] == share(card.metrics["dice_agg_gtvn"])
    assert what.loc["empty in both", "GTVp"] == str(card.per_class["GTVp"]["n_both_empty"])


def test_the_worst_come_first(hecktor):
    card, app = scorecard("mira"), hecktor(submission="mira", tab="Patients")
    for by, columns in {
        "dice": ("dice_gtvp", "mask"),
        "stages": ("value", "t_truth"),
        "pairs": ("value", "comparable_pairs"),
    }.items():
        rows = shown_table(app, *columns)
        assert list(rows["case"]) == [worst.case for worst in hecktor_patients.worst(card, by)]


def test_the_viewer_shows_the_patient_of_the_address_and_goes_on(hecktor):
    app = hecktor(tab="Viewer", patient="BIR-003", submission="mira")
    truth = CHALLENGE.read_truth(SAMPLE.path)
    submission = CHALLENGE.read_predictions(SAMPLE.submissions["mira"].path, truth)
    index = truth.ids.index("BIR-003")
    found = hecktor_patients.volumes(truth, submission, index)
    rows = shown_table(app, "right", "missed")
    assert [tuple(row) for row in rows[["right", "spurious", "missed", "renamed"]].to_numpy()] == [
        (v.right, v.spurious, v.missed, v.renamed) for v in found
    ]
    app.button(key="patient_Next").click().run()
    assert app.selectbox(key="patient").value == truth.ids[index + 1]
    app.button(key="patient_Previous").click().run()
    app.button(key="patient_Previous").click().run()
    assert app.selectbox(key="patient").value == truth.ids[index - 1]
    assert not app.exception


def test_a_patient_of_another_test_set_gives_way(hecktor):
    app = put(
        hecktor(tab="Viewer", patient="BIR-003"),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
        patients.truth_folder(PATIENTS, MASKS),
    )
    assert not app.exception
    assert app.selectbox(key="patient").value == "P0"


def test_a_mask_that_is_not_shown_says_why(hecktor):
    malformed = next(row["case"] for row in scorecard("mira").cases if row["mask"] == "malformed")
    said = words(hecktor(submission="mira", tab="Viewer", patient=malformed))
    assert "the submitted mask is not shown" in said
    assert "it counts as empty" in said


def test_bombs_and_headers_that_lie_count_as_missing_masks(hecktor):
    told = patients.submission_folder(PREDICTED_PATIENTS, MASKS)
    told["masks/P1.nii.gz"] = volumes.zipped(volumes.nifti(MASKS["P1"]) + bytes(50_000_000), 9)
    told["masks/P2.nii.gz"] = volumes.zipped(
        volumes.nifti(MASKS["P2"], fields={"dim": [3, 30_000, 30_000, 30_000, 1, 1, 1, 1]})
    )
    told["masks/P3.nii.gz"] = volumes.zipped(volumes.nifti(MASKS["P3"]))[:-30]
    app = put(hecktor(tab="Viewer"), told, patients.truth_folder(PATIENTS, MASKS))
    app.selectbox(key="patient").set_value("P1").run()
    assert not app.exception
    assert "▲ 3 malformed masks" in words(app)
    assert "it counts as empty" in words(app)
    assert "the submitted mask is not shown" in words(app)


def test_downloads_say_that_they_hold_the_truth(hecktor):
    assert "contain the truth of every patient" in words(hecktor())


def test_files_and_folders_are_read_alike(hecktor):
    truth, submission = (
        patients.truth_folder(PATIENTS, MASKS),
        patients.submission_folder(PREDICTED_PATIENTS, MASKS),
    )
    card = patients.card(truth, submission)
    app = put(hecktor(), None, truth)
    flat = [(name.rsplit("/", 1)[-1], content) for name, content in submission.items()]
    for name, content in flat:
        app.file_uploader(key="hecktor2026_submission_files").upload(name, content)
    app = visits.finished(app.run())
    assert not app.exception
    assert app.metric[0].value == share(card.score)
