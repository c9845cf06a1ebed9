"""Scoring inside Grand Challenge, Codabench and EvalAI.

* bundle that an organizer uploads: `platform_bundles.write_bundle`; page for participants: `submission_page`
* scoring inside a container: `platform_scoring.score_grand_challenge`, `platform_scoring.score_codabench`,
  `platform_scoring.score_evalai`, by what all share: `evaluation.evaluate`
* sockets of Grand Challenge: `grand_challenge_sockets`
"""
