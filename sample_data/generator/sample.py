"""One sample as a whole: a test set in a challenge's own spelling, and the teams that predict it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sample_data.generator import teams
from sample_data.generator.teams import Team
from sample_data.generator.testset import Plan, write_images, write_table

DRAWING = ("look", "skin_tone", "seed", "width", "height", "orientation")

Table = tuple[Sequence[str], Sequence[Sequence]]


@dataclass(frozen=True)
class Recipe:
    """A sample of other things than lesions. teams: by the stem of their file, each with title and about.
    write: draws all into a folder."""

    teams: Mapping[str, Any]
    write: Callable[[Path], None]


@dataclass(frozen=True)
class Sample:
    """plan, teams, team_seed: what is drawn. truth: from the rows of `write_images`, the tables of the test
    set by file name, each a header and rows. case: the id of an image in all tables, with {} for its name.
    header: of the teams' files, the id column first.
    """

    plan: Plan
    teams: Mapping[str, Team]
    team_seed: int
    truth: Callable[[list[dict]], dict[str, Table]]
    case: str
    header: tuple[str, ...]

    def write_tables(self, rows: list[dict], folder: Path) -> None:
        """The truth, drawing.csv, teams/*.csv and teams.json, from the rows of `write_images`."""
        ids = [self.case.format(row["name"]) for row in rows]
        drawing = [[case, *(row[key] for key in DRAWING)] for case, row in zip(ids, rows, strict=True)]
        truth = self.truth(rows)
        id_column = next(iter(truth.values()))[0][0]
        for name, (header, lines) in {**truth, "drawing.csv": ((id_column, *DRAWING), drawing)}.items():
            write_table(folder / name, header, lines)
        teams.write(
            self.teams,
            self.header,
            ids,
            teams.predictions(self.teams, self.plan, rows, self.team_seed),
            folder,
        )

    def write(self, folder: Path) -> None:
        """All but the models."""
        self.write_tables(write_images(self.plan, folder), folder)
