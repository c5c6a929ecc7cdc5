"""Drafting: a language model writes a schema, piece by piece, and mends it by the errors of the checks that judge it.

Start with `draft`; `worldgen.draft.pieces` is what the model is asked for.
"""

from worldgen.draft.documents import Document, read_documents
from worldgen.draft.drafter import ROUNDS, Draft, Drafting, draft

__all__ = ["ROUNDS", "Document", "Draft", "Drafting", "draft", "read_documents"]
