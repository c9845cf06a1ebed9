"""Teams of a board: `members` (people, facts, revoked logins), `team_changes` (merges, exclusions,
nominations)."""
