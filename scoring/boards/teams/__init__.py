"""Teams of a board: members, merges and exclusions."""
