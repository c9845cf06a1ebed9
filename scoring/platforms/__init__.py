"""Scoring inside Grand Challenge, Codabench and EvalAI.

`platform_scoring` scores inside a container of each platform, by what all share (`evaluation`);
`platform_bundles` writes what an organizer uploads. The scores are those of every other way to score.
"""
