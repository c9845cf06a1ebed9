"""The context that all tabs of the page of comparisons share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pages.comparison import teams
from pages.display.render import BlockPath
from scoring.comparison.compare import Comparison
from scoring.comparison.display import Displayed
from scoring.core.challenge import Challenge


@dataclass(frozen=True)
class ComparisonContext:
    """A comparison on the page. key: of all its inputs. own: whether any of them is a visitor's own file."""

    challenge: Challenge[Any, Any]
    displayed: Displayed
    truth: object
    truth_key: str
    key: tuple
    own: bool

    @property
    def comparison(self) -> Comparison:
        """Return the comparison."""
        return self.displayed.comparison

    @property
    def names(self) -> list[str]:
        """Return the teams that are drawn, best first."""
        return self.displayed.names

    @cached_property
    def content(self) -> str:
        """What all that is shown rests on: one text, since Streamlit takes its time with anything else."""
        return repr((self.key, self.names))

    def path(self, path: str) -> BlockPath:
        """Return the path of a block, which is drawn once. path: everything else that it depends on."""
        return BlockPath((self.content,), self.own, f"comparison/{path}")

    def once(self, name: str, work: Callable[[], Any]) -> Any:
        """Return what `work` gives, computed once. name: of the work, and all that it depends on."""
        return teams.of_comparison(f"{name}\n{self.content}", work)
