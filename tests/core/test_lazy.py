"""The functions that definitions of challenges name without importing them."""

from dataclasses import fields, is_dataclass

import pytest

from scoring.challenges import challenge_ids, load_challenge
from scoring.core.challenge_parts import Lazy


def lazy_functions(value):
    """Every `Lazy` in the fields of a dataclass and of those that it holds."""
    if isinstance(value, Lazy):
        return [value]
    if not is_dataclass(value):
        return []
    return [lazy for field in fields(value) for lazy in lazy_functions(getattr(value, field.name))]


@pytest.mark.parametrize("name", challenge_ids())
def test_every_lazy_function_of_a_challenge_can_be_called(name):
    for lazy in lazy_functions(load_challenge(name)):
        assert callable(lazy.resolve()), lazy.reference


def test_challenges_name_functions_without_importing_them():
    assert len([lazy for name in challenge_ids() for lazy in lazy_functions(load_challenge(name))]) >= 20


def test_a_lazy_function_passes_arguments_on():
    assert Lazy("math:gcd")(12, 18) == 6
    assert Lazy("builtins:dict")(a=1) == {"a": 1}
