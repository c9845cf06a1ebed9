"""Challenge page: inputs, score, findings, tabs.

* the page as a whole: `challenge_page.show`; cached scoring of test set and submission: `scoring_run.card`
* cases, also those that became right or wrong since the last run: `case_table.table_and_case`
* second submission: `second_submission.compared`; unknown class names: `class_names.choose`
* form of a new challenge: `new_challenge.show`; card on the overview: `challenge_card.challenge_card`
* files for Grand Challenge, Codabench or EvalAI: `platform_bundle.button`
* what tabs draw: `scored_submission.ScoredSubmission`; a run replaced by a new choice: `superseded_run`
* what is said of files and score, below the tabs: `notes.Notes`; where score or refusal stand:
  `scored_submission.ResultPlace`
"""
