"""What is published of a board: report, checklist and archive."""
