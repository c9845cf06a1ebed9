"""Truth and submission of a challenge's first sample."""

from pathlib import Path

from scoring.challenges import samples


def sample_files(challenge_id: str) -> tuple[bytes | Path, bytes | Path]:
    """Return the truth and the first team's submission: the bytes of tables, else where they are."""
    sample = next(iter(samples.test_sets(challenge_id).values()))
    team = next(team for team in sample.submissions.values() if not team.is_model)
    tables = [path for path in sample.path.glob("*.csv") if path.name != "metadata.csv"]
    if len(tables) == 1 and team.path.suffix == ".csv":
        return tables[0].read_bytes(), team.path.read_bytes()
    return sample.path, team.path
