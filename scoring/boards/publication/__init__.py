"""Publication of a board: report, checklist and archive."""
