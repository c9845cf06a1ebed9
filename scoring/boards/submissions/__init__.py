"""Submissions to a board: phases and limits, scoring as they come, and what a participant is told.

* submit and score: `submitting.submit` (organizer), `participant.submit` (participant, with feedback)
* dates of phases; submissions per team, day and phase: `phases_and_limits.allowance`;
  too many: `submitting.refusal`
* quota left: `participant.remaining_quota`; a folder of many submissions: `submission_folders.of_folder`

Which of a team's submissions counts: `scoring.boards.ranking.ranked_submissions`.
"""
