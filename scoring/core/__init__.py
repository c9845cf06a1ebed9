"""The nouns of the product: challenge, options, submission, scorecard, views. Read `challenge` first."""
