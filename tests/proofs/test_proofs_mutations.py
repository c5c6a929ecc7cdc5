"""Each kind of damage is found, by the proof meant for it, and that proof passes where there is none."""

from __future__ import annotations

from pathlib import Path

import damage_facts  # noqa: F401
import damage_pages  # noqa: F401
import damage_questions  # noqa: F401
import pytest
from damage import DAMAGES, Copy, Damage

from worldgen.proofs import ProofResult, guessing, leaks, solving
from worldgen.proofs.check import FILE_PROOFS, check, prove
from worldgen.proofs.files import Files
from worldgen.world import World

QUERIES = 200


def results(world: Path, proof: str) -> dict[str, ProofResult]:
    """The results of a proof, by name; those of the agents are made together."""
    files = Files(world)
    try:
        if proof in FILE_PROOFS:
            return {proof: prove(proof, files)}
        with World.load(world) as opened:
            if proof == "search.guessed-urls":
                return {proof: guessing.prove_guessed(files, opened)}
            if proof == "search.fact-cap":
                return {proof: leaks.prove_cap(files, opened, QUERIES)}
            return {result.name: result for result in solving.prove_solving(files, opened)}
    finally:
        files.close()


@pytest.fixture(scope="module")
def sound(tiny_world) -> dict[str, ProofResult]:
    return {result.name: result for result in check(tiny_world).results}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=lambda damage: f"{damage.proof}-{damage.name}")
def test_damage_is_found_by_the_proof_meant_for_it(tiny_world, sound, tmp_path, damage: Damage):
    assert sound[damage.proof].passed, sound[damage.proof].detail
    copy = Copy(tiny_world, tmp_path / "world", index=damage.proof not in FILE_PROOFS)
    damage.how(copy)
    if damage.settled:
        copy.settle()
    if damage.sealed:
        copy.seal()
    copy.close()
    found = results(copy.folder, damage.proof)[damage.proof]
    assert not found.passed, f"{damage.name} is not found by {damage.proof}: {found.detail}"
    assert found.detail


def test_an_undamaged_copy_passes_what_the_world_passes(tiny_world, sound, tmp_path):
    copy = Copy(tiny_world, tmp_path / "world", index=True)
    copy.settle()
    copy.seal()
    copy.close()
    again = {result.name: result for result in check(copy.folder).results}
    assert {name: result.passed for name, result in again.items()} == {n: r.passed for n, r in sound.items()}
    assert again["integrity.digests"].passed


@pytest.mark.parametrize("name", FILE_PROOFS)
def test_a_world_in_two_languages_passes(tiny_world_in_two_languages, name):
    found = results(tiny_world_in_two_languages, name)[name]
    assert found.passed, found.detail
    assert found.checked


def test_every_proof_has_its_damage(sound):
    # An agent that answers nothing scores nothing in any world.
    assert set(sound) - {damage.proof for damage in DAMAGES.values()} == {"agents.nothing"}
    assert len(DAMAGES) >= 34


def test_proofs_bear_the_names_they_are_listed_by(tiny_world):
    for name in FILE_PROOFS:
        assert set(results(tiny_world, name)) == {name}
