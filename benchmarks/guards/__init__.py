"""Lies and honest paraphrases of a world's pages, and what a guard makes of them.

The wordings are those of people who have not seen the guard: each file in `wordings/` is one set. The guard is mended
with `values.SETS`, no two of which share words, and measured with `values.PLAIN`, unseen while it is mended. `material`
reads what a world lets a text say, `values` puts a value into words, `drafts` writes the honest text, `lies` changes
one thing in it, `cases` draws the cases by seed, `measure` counts.
"""
