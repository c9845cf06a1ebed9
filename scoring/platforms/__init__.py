"""Benchside as evaluation program of Grand Challenge, Codabench and EvalAI.

* bundle for an organizer to upload: `platform_bundles.write_bundle`; page for participants: `submission_page`
* score inside a container: `platform_scoring.score_grand_challenge`, `platform_scoring.score_codabench`,
  `platform_scoring.score_evalai`; the part that is common to all: `evaluation.evaluate`
* sockets of Grand Challenge: `grand_challenge_sockets`
"""
