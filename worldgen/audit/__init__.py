"""Reads text back: spans, mentions of names, how alike pages are."""
