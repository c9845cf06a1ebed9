"""How much a hidden test set has been used up by the scores that were shown of it."""

import math


def possible_gain(answers: int, cases: int) -> float:
    """Return what somebody who learnt nothing could gain above chance by trying often.

    The attack of Blum and Hardt (The Ladder: A Reliable Leaderboard for Machine Learning Competitions, ICML
    2015, https://arxiv.org/abs/1502.04585) on two equally frequent classes: draw random answers, turn around
    those that score below chance, and let all vote. One random answer is right in a share of cases that lies
    on average sqrt(2 / pi) / (2 sqrt(n)) from one half; the majority of k such votes is right in
    Phi(sqrt(2 k / (pi n))) of the cases.

    Args:
        answers: Scores that were shown, k.
        cases: Cases of the test set, n, at least 1.

    Returns:
        The accuracy of that vote minus one half, from 0 to 0.5.
    """
    return 0.5 * math.erf(math.sqrt(answers / (math.pi * cases)))
