"""How work that takes long says that it was stopped; apart, because what reads masks needs no model."""


class Cancelled(Exception):
    """The caller stopped the work."""
