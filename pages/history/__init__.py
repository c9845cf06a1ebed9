"""History of kept runs on a page: tab, keeping, restoring; the store of them is `scoring.history`."""
