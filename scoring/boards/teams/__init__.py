"""Teams of a board.

* members, facts about teams, logout: `members.set_members`, `members.keep_facts`, `members.end_login`
* names that look alike are refused: `scoring.inputs.team_entries.name_problems`, which compares
  `scoring.common.text.name_skeleton`
* exclude, rename, merge, nominate, baselines: `team_changes.exclude_team`, `team_changes.rename_team`
"""
