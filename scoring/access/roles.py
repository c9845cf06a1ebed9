"""The three roles, and the person who acts; a role holds for all boards of a server.

`login_roles` decides which role somebody has, `pages.server.access` which role a page needs,
`pages.boards.actions.may_organize` who sees the organizer's tabs of a board.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from scoring.common.findings import InputRefused, error


class Role(IntEnum):
    """What a person may do; each role may do what those before it may."""

    VISITOR = 0
    PARTICIPANT = 1
    ORGANIZER = 2

    @property
    def word(self) -> str:
        """Return its name in a sentence."""
        return self.name.lower()


@dataclass(frozen=True)
class Actor:
    """A person, or the program's own user.

    Attributes:
        key: Who they are, unique and unchanging: issuer and subject; empty for somebody not logged in.
        email: Their e-mail address, only where the provider has verified it.
        groups: Their groups, as the provider names them.
        issued: When their token was issued, in seconds since 1970; None for the program's own user.
    """

    role: Role
    key: str = ""
    name: str = ""
    email: str = ""
    groups: frozenset[str] = field(default_factory=frozenset)
    issued: float | None = None

    def require(self, role: Role) -> None:
        """Do nothing if the person has the role.

        Raises:
            InputRefused: `forbidden` otherwise.
        """
        if self.role < role:
            raise InputRefused([error("forbidden", "access", f"this is for {role.word}s only.")])


LOCAL = Actor(Role.ORGANIZER, "local", "local user")
"""Whoever runs the command line, or the app on their own machine."""
NOBODY = Actor(Role.VISITOR)
"""Somebody who is not logged in."""

_default = LOCAL


def default_actor() -> Actor:
    """Return who acts where nobody is named."""
    return _default


def require_login() -> None:
    """From now on in this process, who is not named may do what a visitor may."""
    global _default
    _default = NOBODY
