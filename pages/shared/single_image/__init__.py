"""What only the page of single images shows: intake, model, answer, and what may be asked beyond it. Nothing
of an own image outlives it."""
