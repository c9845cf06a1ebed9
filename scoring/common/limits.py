"""Limits that whoever runs the server may set, each by an environment variable."""

import os
from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class LimitSetting:
    """A number that an environment variable sets.

    Attributes:
        name: The environment variable.
        default: What holds without it.
        meaning: What it bounds, as the end of a sentence.
    """

    name: str
    default: int
    meaning: str

    @property
    def value(self) -> int:
        """The number; the default where the variable is not set, or holds no whole number above 0."""
        return self.default if self.written is None or self.problem else int(self.written)

    @property
    def written(self) -> str | None:
        """What the variable holds, None where it is not set."""
        return os.environ.get(self.name)

    @property
    def problem(self) -> str:
        """Why what is written does not count; "" where it does, or where nothing is."""
        words = self.written
        if words is None or (words.isascii() and words.isdigit() and int(words) > 0):
            return ""
        return f"{self.name} is no whole number above 0: {self.default} holds instead."


OPEN_MODELS = LimitSetting(
    "BENCHSIDE_OPEN_MODELS", 8, "models of visitors' own stay open at once on the page of single images"
)
SERVER_UPLOADS = LimitSetting(
    "BENCHSIDE_SERVER_UPLOAD_MB", 4096, "MB of uploads that all visitors hold together"
)
SESSION_UPLOADS = LimitSetting(
    "BENCHSIDE_SESSION_UPLOAD_MB", 1024, "MB of uploads that one visitor holds, where others can reach it"
)
SETTINGS = (OPEN_MODELS, SESSION_UPLOADS, SERVER_UPLOADS)


@dataclass(frozen=True)
class Uploads:
    """How many bytes of uploads one session may hold, and all together."""

    session_bytes: int
    server_bytes: int


def uploads(public: bool) -> Uploads:
    """Return the quota of uploads.

    Args:
        public: Whether other machines can reach the server. Who is alone may hold all of it.
    """
    everybody = SERVER_UPLOADS.value
    alone = not public and SESSION_UPLOADS.written is None
    one = everybody if alone else min(SESSION_UPLOADS.value, everybody)
    return Uploads(one * MEGABYTE, everybody * MEGABYTE)
