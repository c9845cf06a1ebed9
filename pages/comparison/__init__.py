"""The tabs of the page that compares teams."""
