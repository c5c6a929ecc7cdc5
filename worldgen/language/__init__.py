"""How values and names are said, per language: coined names, units, formats, words, labels."""
