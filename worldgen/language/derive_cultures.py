"""Derives the sound tables from Faker's data; run once, its output is kept here.

    python -m worldgen.language.derive_cultures

Faker's lists change between its patch releases, and a world must not: so nothing here runs when a world is built.
For each culture of ``data/recipes.yaml`` the names and cities of a few locales are cut into clusters of consonants
and vowels, counted by place in the word, and mixed in equal parts: the result sounds like none of them.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import yaml

DATA = Path(__file__).parent / "data"
SOUND_FIELDS = re.compile(r"(first|last|male|female|unisex|cit(y|ies)|town|state|municipalit)", re.IGNORECASE)
SPECIAL = str.maketrans(
    {"ø": "o", "ł": "l", "ð": "d", "þ": "th", "æ": "e", "ß": "ss", "ı": "i", "ə": "a", "œ": "e", "đ": "d"}
)
CLUSTERS = re.compile(r"[aeiou]+|[^aeiou]+")
ONSET_PAIRS = re.compile(r"[bfgkp][lr]|[cdtv]r|cl|[dgkst]w|[cstz]h|k[nv]|s[klmnptv]|ts|tv|vl|z[lv]")
CODA_PAIRS = re.compile(r"[cst]h|[cnrs]k|[klmnprt]s|l[dfkmnpt]|m[ps]|n[dgt]|pt|r[dfgmntv]|s[st]")
KEPT = {"onset": 34, "nucleus": 11, "medial": 70, "coda": 26}

log = logging.getLogger(__name__)


def strings(value: object) -> Iterator[str]:
    """Every string inside nested tuples, lists and mappings (keys and values alike)."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from strings(item)


def words(provider: str, locale: str, fields: re.Pattern[str]) -> set[str]:
    """The plain lower-case ASCII words of one provider of one locale; empty where Faker has none."""
    name = f"faker.providers.{provider}" + (f".{locale}" if locale else "")
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        return set()
    found: set[str] = set()
    for holder in (vars(module), vars(module.Provider)):
        for field, value in holder.items():
            if fields.search(field):
                found.update(word for text in strings(value) for word in plain_words(text))
    return found


def plain_words(text: str) -> Iterator[str]:
    """Cut a text into words, strip accents, drop whatever is not Latin.

    >>> list(plain_words("Århus {{last_name}} Sør-Øst"))
    ['arhus', 'sor', 'ost']
    """
    for word in re.split(r"[\s\-'’./,()]+", text):
        folded = unicodedata.normalize("NFKD", word.lower().translate(SPECIAL))
        bare = "".join(c for c in folded if not unicodedata.combining(c))
        if bare.isascii() and bare.isalpha():
            yield bare


def spelled(word: str) -> str:
    """Bring rare letters to the common spelling, so that blended tables fit together.

    >>> spelled("szymonquax")
    'shimonkuaks'
    """
    for old, new in (("sch", "sh"), ("sz", "sh"), ("cz", "ch"), ("q", "k"), ("x", "ks"), ("ph", "f"), ("gh", "g")):
        word = word.replace(old, new)
    word = re.sub(r"(?<![aeiou])y(?![aeiou])", "i", word)
    return re.sub(r"c(?![heiy])", "k", word)


def allowed(place: str, cluster: str) -> bool:
    """Whether a cluster can be spoken at that place of a word."""
    if place == "nucleus":
        return len(cluster) == 1 or (len(cluster) == 2 and len(set(cluster)) == 2)
    if place == "onset":
        return len(cluster) < 2 or ONSET_PAIRS.fullmatch(cluster) is not None
    if place == "coda":
        return (len(cluster) < 2 and cluster not in {"h", "j", "w", "y", "c"}) or CODA_PAIRS.fullmatch(
            cluster
        ) is not None
    if len(cluster) == 2 and cluster[0] == cluster[1]:
        return cluster[0] in "lmnrst"
    splits = ((cluster[:i], cluster[i:]) for i in range(len(cluster)))
    return any(allowed("coda", left) and allowed("onset", right) for left, right in splits)


def ease(place: str, cluster: str) -> int:
    """How readily a cluster is kept: double vowels and heaps of consonants count less, as blends pile them up."""
    if place == "nucleus":
        return 10 if len(cluster) == 1 else 4
    return {0: 8, 1: 10, 2: 7}.get(len(cluster), 3)


def counted(names: Iterable[str]) -> dict[str, Counter[str]]:
    """Count clusters by place over the words of one locale."""
    table: dict[str, Counter[str]] = {place: Counter() for place in KEPT}
    for name in names:
        parts = CLUSTERS.findall(spelled(name))
        if not 3 <= len(name) <= 12 or len(parts) < 2:
            continue
        vowel_first = parts[0][0] in "aeiou"
        vowel_last = parts[-1][0] in "aeiou"
        table["onset"]["" if vowel_first else parts[0]] += 1
        table["coda"]["" if vowel_last else parts[-1]] += 1
        inner = parts[(0 if vowel_first else 1) : (None if vowel_last else -1)]
        for part in inner:
            table["nucleus" if part[0] in "aeiou" else "medial"][part] += 1
    return table


def blended(locales: Iterable[str]) -> dict[str, dict[str, int]]:
    """Mix locales in equal parts; weights are per mille of each place, the rare tail is cut off."""
    shares: dict[str, Counter[str]] = {place: Counter() for place in KEPT}
    for locale in locales:
        names = words("person", locale, SOUND_FIELDS) | words("address", locale, SOUND_FIELDS)
        for place, counts in counted(sorted(names)).items():
            fine = {cluster: n * ease(place, cluster) for cluster, n in counts.items() if allowed(place, cluster)}
            total = sum(fine.values())
            for cluster, n in fine.items():
                shares[place][cluster] += n * 1_000_000 // total
    tables: dict[str, dict[str, int]] = {}
    for place, counter in shares.items():
        top = sorted(counter.items(), key=lambda item: (-item[1], item[0]))[: KEPT[place]]
        whole = sum(weight for _, weight in top)
        tables[place] = {cluster: max(1, weight * 1000 // whole) for cluster, weight in top}
    return tables


def main() -> None:
    """Write one file per culture."""
    recipes = yaml.safe_load((DATA / "recipes.yaml").read_text(encoding="utf-8"))
    tables = {culture: blended(recipe["locales"]) for culture, recipe in recipes.items()}
    for culture, table in tables.items():
        document = {"culture": culture, "endings": recipes[culture]["endings"], **table}
        text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110)
        (DATA / "cultures" / f"{culture}.yaml").write_text(text, encoding="utf-8", newline="\n")
        log.info("%s: %s", culture, {place: len(clusters) for place, clusters in table.items()})


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
