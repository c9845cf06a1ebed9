"""The version of Benchside, which is part of every cache key and of every scorecard's provenance."""

__version__ = "0.2.0"
