"""A language world model as the search engine: prompts, turns, and the two modes in which it may answer.

In grounded mode the index decides which pages and facts there are, the model writes them, and the audit has the last
word; in free mode the model invents from the world's premise, and a ledger holds it to what it said.
"""
