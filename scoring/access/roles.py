"""The three roles, and the person who acts (the actor). A role applies to all boards of a server.

`login_roles` assigns roles, `pages.server.access` says which role a page needs, and
`pages.boards.actions.may_organize` says who sees the organizer's tabs of a board.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from scoring.common.findings import InputRefused, error


class Role(IntEnum):
    """A role; each role includes the rights of the roles before it."""

    VISITOR = 0
    PARTICIPANT = 1
    ORGANIZER = 2

    @property
    def word(self) -> str:
        """Return the name of the role as it is written in a sentence."""
        return self.name.lower()


@dataclass(frozen=True)
class Actor:
    """A person who uses Benchside, or Benchside itself acting without a person.

    Attributes:
        key: Unique and permanent key of the person: issuer and subject of the login; empty if the person is
            not logged in.
        email: E-mail address, only if the provider has verified it.
        groups: Groups, as the provider names them.
        issued: Time when the token was issued, in seconds since 1970; None for Benchside itself.
    """

    role: Role
    key: str = ""
    name: str = ""
    email: str = ""
    groups: frozenset[str] = field(default_factory=frozenset)
    issued: float | None = None

    def require(self, role: Role) -> None:
        """Check that the person has the role. Raises InputRefused `forbidden` otherwise."""
        if self.role < role:
            raise InputRefused([error("forbidden", "access", f"this is for {role.word}s only.")])


LOCAL = Actor(Role.ORGANIZER, "local", "local user")
"""The person who uses the command line, or the app on their own machine."""
NOBODY = Actor(Role.VISITOR)
"""A person who is not logged in."""

_default = LOCAL


def default_actor() -> Actor:
    """Return the actor that is used when no person is given."""
    return _default


def require_login() -> None:
    """From now on, treat everybody in this process as a visitor unless a person is given."""
    global _default
    _default = NOBODY
