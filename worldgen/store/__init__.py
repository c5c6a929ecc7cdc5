"""The facts at rest: the catalogue and the typed tables in one database, the manifest, the digests."""

from worldgen.store.connection import read_only
from worldgen.store.manifest import FORMAT_VERSION, Manifest, build_key, canary_of, read_manifest

__all__ = [
    "FORMAT_VERSION",
    "Manifest",
    "build_key",
    "canary_of",
    "read_manifest",
    "read_only",
]
