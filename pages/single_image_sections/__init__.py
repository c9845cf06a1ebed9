"""Parts of the page of single images: image, model, output and explanations. Nothing of an own image outlives
the session."""
