"""How many lies the guard of the world model catches, and how many honest paraphrases it takes for lies.

python -m benchmarks.guards WORLD… [--seed N] [--each N] [--wordings NAME] [--errors] [--json] [--list]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.guards.cases import Case, make_cases
from benchmarks.guards.measure import as_json, judge_with_guard, tables
from benchmarks.guards.values import PLAIN, SETS
from worldgen.errors import WorldgenError


def main() -> None:
    """Make the cases, run the guard, print the figures."""
    options = _options()
    try:
        cases = make_cases(options.worlds, seed=options.seed, each=options.each, wordings=options.wordings)
        if options.list:
            print(_listed(cases))
            return
        judged = judge_with_guard(cases, strict=not options.lenient)
    except (WorldgenError, LookupError) as error:
        sys.exit(str(error))
    if options.json:
        print(as_json(judged))
        return
    print(tables(judged))
    if options.errors:
        for one in judged:
            if one.wrong:
                print(f"{_head(one.case)} {', '.join(one.codes)}\n{one.case.index_text}\n→ {one.case.text}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.guards", description=__doc__.split("\n")[0])
    parser.add_argument("worlds", nargs="+", type=Path, help="folders of built worlds, best in both languages")
    parser.add_argument("--seed", type=int, default=7, help="another seed draws other cases")
    parser.add_argument("--each", type=int, default=200, help="so many lies, and as many honest texts")
    parser.add_argument("--wordings", choices=(*SETS, *PLAIN), default="first")
    parser.add_argument("--lenient", action="store_true", help="the guard without its list of plain words")
    parser.add_argument("--errors", action="store_true", help="show what the guard was wrong about")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--list", action="store_true", help="print the cases instead of judging them")
    return parser.parse_args()


def _head(case: Case) -> str:
    return f"{case.label} {case.kind} {case.family} {case.language} {case.shape} {case.world.name} {case.page.url}"


def _listed(cases: list[Case]) -> str:
    lines = [f"{_head(case)}\n  {case.twin!r}\n→ {case.text!r}" for case in cases]
    return "\n".join([*lines, str(Counter(case.kind for case in cases)), str(Counter(case.family for case in cases))])


if __name__ == "__main__":
    main()
