"""Leaderboards of other platforms as boards: what they hold is shown, and what they do not hold is said."""

import io
import json
import zipfile

import pytest

from tests.support.boards import board
from tests.support.thinned import some

GRAND_CHALLENGE = {
    "count": 3,
    "next": None,
    "results": [
        {
            "pk": str(n),
            "submission": {"created": f"2026-10-0{n}T08:00:00.5+00:00", "creator": {"username": team}},
            "outputs": [
                {"interface": {"slug": "metrics-json-file"}, "value": {"score": score, "case": {"f1": 1}}}
            ],
            "rank": rank,
            "rank_score": 1.0,
        }
        for n, (team, score, rank) in enumerate((("beta", 0.5, 2), ("alpha", 0.7, 1), ("hidden", 0.9, 0)), 1)
    ],
}
EVALAI = {
    "count": 2,
    "results": [
        {
            "submission__participant_team__team_name": team,
            "submission__submitted_at": f"2026-10-0{n}T16:33:05.97Z",
            "result": [0.1, score],
            "filtering_score": score,
            "leaderboard__schema": {"labels": ["auc", "Total"], "default_order_by": "Total"},
        }
        for n, (team, score) in enumerate((("alpha", 0.7), ("beta", 0.5)), 1)
    ],
}
CODABENCH = {
    "Results - Test(7)": {"alpha-12": {"Score(3)-score": "0.7"}, "beta-9": {"Score(3)-score": "0.5"}}
}
CODABENCH_CSV = (
    "Username,fact_sheet_answers,Score(3)-score,Score(3)-auc\r\nbeta-9,,0.5,1\r\nalpha-12,,0.7,1\r\n"
)
KAGGLE = (
    "Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
    '1,16625060,alpha,"2026-10-02 23:01:03",0.7,2,a\n'
    '2,16655501,beta,"2026-10-01 11:26:42",0.5,2,"b,c"\n'
)
"""As the platform writes it. The columns that its command prints (`competition_leaderboard_fields` of
Kaggle/kaggle-api, src/kaggle/api/kaggle_api_extended.py at 1744cda19d358299f86f219f7e0cdd702ca8f10d) are
`KAGGLE_SHOWN`."""
KAGGLE_SHOWN = (
    "teamId,teamName,submissionDate,score\n"
    "16625060,alpha,2026-10-02 23:01:03.000000,0.7\n16655501,beta,2026-10-01 11:26:42,0.5\n"
)
DEEP = "[" * 9999
CSV = "Team,Score,Submitted at\nbeta,0.5,2026-10-01\nalpha,0.7,2026-10-02 10:00\n"


def codabench_zip() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("Results - Test(7).csv", CODABENCH_CSV)
    return target.getvalue()


FILES = {
    "grand-challenge.json": (json.dumps(GRAND_CHALLENGE).encode(), "Grand Challenge", "2026-10-02"),
    "evalai.json": (json.dumps(EVALAI).encode(), "EvalAI", "2026-10-01"),
    "codabench.json": (json.dumps(CODABENCH).encode(), "Codabench", None),
    "codabench.csv": (CODABENCH_CSV.encode(), "Codabench", None),
    "codabench.zip": (codabench_zip(), "Codabench", None),
    "any.csv": (CSV.encode(), "CSV", "2026-10-02"),
    "kaggle.csv": (KAGGLE.encode(), "Kaggle", "2026-10-02"),
    "kaggle-shown.csv": (KAGGLE_SHOWN.encode(), "Kaggle", "2026-10-02"),
}


@pytest.mark.parametrize("name", some(list(FILES), 2))
def test_a_leaderboard_becomes_a_board_without_intervals(name, place, tmp_path):
    data, platform, day = FILES[name]
    path = tmp_path / name
    path.write_bytes(data)
    done = board("import", path, "--id", "theirs", "--title", "Theirs", "--json", "-")
    assert done.status == 0, done.err
    assert done.json["imported_from"] == platform
    first, second = done.json["teams"]
    assert [(t["team"], t["rank"], t["score"]) for t in (first, second)] == [
        ("alpha", 1, 0.7),
        ("beta", 2, 0.5),
    ]
    assert first["interval"] is None
    assert (first["time"] or "")[:10] == (day or "")
    assert "no intervals" in done.json["note"]
    assert board("show", "theirs", "--json", "-").json == done.json
    shown = board("show", "theirs")
    assert "alpha" in shown.out
    assert "no intervals" in shown.out
    (listed,) = board("list", "--json", "-").json["boards"]
    assert (listed["id"], listed["challenge"], listed["teams"]) == ("theirs", platform, 2)
    for action in (
        ("submit", "--team", "a", "--predictions", path),
        ("rescore",),
        ("export", tmp_path / "b.zip"),
    ):
        refused = board(action[0], "theirs", *action[1:])
        assert refused.status == 2
        assert "imported-board" in refused.err
    assert "board-exists" in board("import", path, "--id", "theirs").err


def test_lower_scores_may_be_better_and_equal_ones_share_a_rank(place, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("team,error,auc\na,0.2,1\nb,0.1,1\nc,0.2,1\nd,,1\n")
    assert "Name it with --score" in board("import", path, "--id", "x").err
    done = board("import", path, "--id", "x", "--score", "error", "--ascending", "--json", "-")
    assert [(t["team"], t["rank"]) for t in done.json["teams"]] == [("b", 1), ("a", 2), ("c", 2), ("d", None)]


def imported(path, value, *more):
    path.write_text(json.dumps(value))
    done = board("import", path, "--id", "theirs", "--json", "-", *more)
    assert done.status == 0, done.err
    return done, [(row["team"], row["rank"]) for row in done.json["teams"]]


def test_evalai_says_that_lower_is_better_and_which_are_baselines(place, tmp_path):
    """Cloud-CV/EvalAI at 0f0403929084 gives both."""
    ascending = {"metadata": {"Total": {"sort_ascending": True}}}
    rows = [
        row | {"leaderboard__schema": row["leaderboard__schema"] | ascending} for row in EVALAI["results"]
    ]
    host = rows[0] | {"submission__participant_team__team_name": "host", "submission__is_baseline": True}
    host |= {"result": [0.1, 0.1]}
    done, ranked = imported(tmp_path / "l.json", {"count": 3, "results": [host, *rows]})
    assert ranked == [("beta", 1), ("alpha", 2), ("host", None)]
    assert "Baselines without a rank: host." in board("show", "theirs").out
    assert "warning" not in done.err


def test_one_page_of_several_is_told_with_both_numbers(place, tmp_path):
    page = GRAND_CHALLENGE | {"count": 150, "next": "https://g.org/api/v1/evaluations/?offset=3"}
    done, _ = imported(tmp_path / "l.json", page)
    assert "incomplete-leaderboard" in done.err
    assert "3 of the platform's 150 entries" in done.err
    assert "3 of the platform's 150 entries" in board("show", "theirs").out


def test_a_printed_page_of_kaggle_is_read_and_told(place, tmp_path):
    """`competition_leaderboard_view` prints two lines before the table of a page that another follows."""
    path = tmp_path / "l.csv"
    path.write_text(f"Using competition: lesions\nNext Page Token = CfDJ8\n{KAGGLE_SHOWN}")
    done = board("import", path, "--id", "theirs", "--json", "-")
    assert [(row["team"], row["score"]) for row in done.json["teams"]] == [("alpha", 0.7), ("beta", 0.5)]
    assert "incomplete-leaderboard" in done.err
    assert "2 of more entries" in board("show", "theirs").out


def test_cells_that_are_left_out_are_named(place, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("team,score,date\nx,1e999,\ny,nan,\nz,0.9,2026-13-45\nw,,2026-01-02\n")
    done = board("import", path, "--id", "theirs")
    assert "left out: x, score: 1e999; y, score: nan; z, time: 2026-13-45. Correct the file." in done.err
    assert (done.status, done.err.count("warning")) == (0, 1)


def test_teams_that_look_alike_are_refused_as_submissions_are(place, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("team,score\npaypal,0.7\npaypal,0.6\np\u0430ypal,0.8\n", encoding="utf-8")
    done = board("import", path, "--id", "theirs")
    assert (done.status, "looks like the name of another team, 'paypal'" in done.err) == (2, True)
    assert board("list", "--json", "-").json["boards"] == []


@pytest.mark.parametrize(("more", "score"), [((), 0.9), (("--ascending",), 0.6)])
def test_submissions_of_one_owner_are_one_team(more, score, place, tmp_path):
    names = {"alice-12": "0.6", "bob_b-13": "0.7", "alice-15": "0.9", "dora-16": ""}
    rows = {name: {"Score(3)-score": text} for name, text in names.items()}
    done, ranked = imported(tmp_path / "l.json", {"Results - Test(7)": rows}, *more)
    assert ranked == [("alice", 1), ("bob_b", 2), ("dora", None)]
    assert done.json["teams"][0]["score"] == score


def test_the_column_of_teams_can_be_named(place, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("Gruppe,Rank,Score\na,9,0.2\nb,7,0.1\n")
    refused = board("import", path, "--id", "x")
    assert refused.status == 2
    assert "--team-column; columns: Gruppe, Rank, Score" in refused.err
    assert "--team-column" in board("import", path, "--id", "x", "--team-column", "group").err
    done = board("import", path, "--id", "x", "--team-column", "Gruppe", "--json", "-")
    assert [(t["team"], t["rank"]) for t in done.json["teams"]] == [("a", 1), ("b", 2)]
    assert "--team-column" in board("import", path, "--team-column", "Gruppe").err


@pytest.mark.parametrize(
    "text",
    some(
        ["", "{}", "[]", "[1]", '{"results": [{}]}', "a,b\n1,2\n", "team\nalpha\n", DEEP, "team,x\n,1\n"],
        4,
        3,
    ),
)
def test_what_is_no_leaderboard_is_refused(text, place, tmp_path):
    path = tmp_path / "l.json"
    path.write_text(text)
    done = board("import", path, "--id", "x")
    assert done.status == 2
    assert "bad-leaderboard" in done.err
    assert board("list", "--json", "-").json["boards"] == []


def test_a_leaderboard_needs_a_name_of_its_own(place, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text(CSV)
    assert "--id" in board("import", path).err
    assert "--id" in board("import", path, "--title", "T").err
    assert "--id" in board("import", path, "--id", "No!").err
