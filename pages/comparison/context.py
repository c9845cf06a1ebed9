"""Shared context of all tabs of the page that compares teams."""

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
    """A comparison on the page. key: identifies all its inputs. own: whether an input is a visitor's own
    file."""

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
        """Return the drawn teams, best first."""
        return self.displayed.names

    @cached_property
    def content(self) -> str:
        """Identifies everything that is shown, as one text, because Streamlit is slow with other types."""
        return repr((self.key, self.names))

    def path(self, path: str) -> BlockPath:
        """Return the path of a block that is drawn once per content. path: everything else that it depends
        on."""
        return BlockPath((self.content,), self.own, f"comparison/{path}")

    def once(self, name: str, work: Callable[[], Any]) -> Any:
        """Return the result of `work`, computed once. name: of the work, and everything that it depends
        on."""
        return teams.of_comparison(f"{name}\n{self.content}", work)
