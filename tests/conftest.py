"""Hypothesis profile: the same examples at every run; BENCHSIDE_SOAK=N multiplies how many there are."""

from hypothesis import HealthCheck, settings

from tests.support.soak import FACTOR

settings.register_profile(
    "fast",
    derandomize=True,
    deadline=None,
    max_examples=40 * FACTOR,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fast")
