"""Every team's measure in every subgroup, on the same replicates as all other numbers."""

from dataclasses import dataclass

from scoring.comparison.compare import Comparison
from scoring.comparison.values import difference_interval, number
from scoring.core.comparison_spec import Groups
from scoring.statistics.replicates import array_name

SMALL = 15


@dataclass(frozen=True)
class Estimate:
    """A team in a group. to_overall: value less that of all cases, by the same replicate. None where
    undefined or not resampled."""

    team: str
    value: float | None
    interval: list[float] | None
    to_overall: float | None
    to_overall_interval: list[float] | None


@dataclass(frozen=True)
class Subgroup:
    """n: the cases that the measure counts; small: under 15 of them, uncertain. teams: best
    first."""

    column: str
    group: str
    measure: str
    n: int
    small: bool
    teams: tuple[Estimate, ...]


def subgroups(found: Comparison) -> tuple[Subgroup, ...]:
    """Return every group of every column and measure; show their number beside any of them."""
    slices = {name: found.spec.slices(card) for name, card in found.cards.items()}
    rows = []
    for column, groups in next(iter(slices.values())).items():
        for group, entry in groups.items():
            for measure, (overall, counted) in found.spec.slice_measures.items():
                if measure in entry and all(group in of_team.get(column, {}) for of_team in slices.values()):
                    estimates = tuple(
                        _estimate(found, name, slices[name], (column, group, measure), overall)
                        for name in found.cards
                    )
                    rows.append(
                        Subgroup(column, group, measure, entry[counted], entry[counted] < SMALL, estimates)
                    )
    return tuple(rows)


def _estimate(
    found: Comparison, team: str, slices: Groups, place: tuple[str, str, str], overall: str
) -> Estimate:
    card, (column, group, measure) = found.cards[team], place
    row = slices[column][group]
    value, whole = number(row[measure]), number(card.metrics.get(overall))
    if value != value:
        return Estimate(team, None, None, None, None)
    drawn = card.arrays.get(array_name(("slice", *place)))
    return Estimate(
        team,
        value,
        row.get(f"{measure}_interval"),
        None if whole != whole else value - whole,
        difference_interval(drawn, card.arrays.get(array_name(overall)), found.provenance["n_units"]),
    )
