"""What only the page of single images shows: image, model, answer and explanations. Nothing of an own image
outlives it."""
