"""Scoring inside Grand Challenge, Codabench and EvalAI.

* bundle for an organizer to upload: `platform_bundles.write_bundle`; page for participants: `submission_page`
* scoring inside a container: `platform_scoring.score_grand_challenge`, `platform_scoring.score_codabench`,
  `platform_scoring.score_evalai`; the common part: `evaluation.evaluate`
* sockets of Grand Challenge: `grand_challenge_sockets`
"""
