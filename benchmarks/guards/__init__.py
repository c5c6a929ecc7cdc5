"""Lies and honest paraphrases of a world's pages, and what a guard makes of them.

The wordings are those of people who have not seen the guard: each file in `wordings/` is one set. The guard is mended
with the earlier sets, and the figures that count are those of the last, unseen while it is mended. `material` reads
what a world lets a text say, `values` puts a value into words, `drafts` writes the honest text, `lies` changes one
thing in it, `cases` draws the cases by seed, `measure` counts.
"""
