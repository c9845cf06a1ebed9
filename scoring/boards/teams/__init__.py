"""Teams of a board.

* members, facts, ended logins: `members.set_members`, `members.keep_facts`, `members.end_login`
* exclude, rename, merge, nominate, baselines: `team_changes.exclude_team`, `team_changes.rename_team`
"""
