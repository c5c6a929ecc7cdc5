"""Synthetic crystals: would somebody who grows, measures or reads about them believe the figures?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, through

NAME = "crystal-chemistry"
OXIDES = {"garnet", "perovskite", "spinel", "pyrochlore"}


@each_seed
def test_bonds_decide_melting_hardness_and_boiling(seed: int) -> None:
    facts = filled(NAME, seed)
    compound = facts.tables["compound"]
    melting, boiling = numbers(compound, "melting"), numbers(compound, "boiling")
    assert 500 < melting.min() <= melting.max() < 2600
    assert rank_correlation(melting, boiling) > 0.85
    assert (boiling + 273.15 > 1.2 * (melting + 273.15)).all()
    hardest_halide = rows(facts, "SELECT MAX(hardness) FROM compound WHERE oxide = 0")
    softest_oxide = rows(facts, "SELECT MIN(hardness) FROM compound WHERE oxide = 1")
    assert hardest_halide < softest_oxide
    usual = mean_by(facts, "SELECT structure, AVG(melting) FROM compound GROUP BY structure")
    halides = [usual[key] for key in ("fluorite", "rock_salt", "caesium") if key in usual]
    assert min(usual[key] for key in OXIDES & usual.keys()) > halides[0]
    assert halides == sorted(halides, reverse=True)


@each_seed
def test_unit_cells_are_of_the_size_that_ions_have(seed: int) -> None:
    facts = filled(NAME, seed)
    edge = mean_by(facts, "SELECT structure, AVG(cell_edge) FROM compound GROUP BY structure")
    real = {"garnet": 1.2, "perovskite": 0.39, "spinel": 0.81, "pyrochlore": 1.05, "fluorite": 0.55, "rock_salt": 0.55,
            "caesium": 0.42}  # fmt: skip
    assert all(abs(edge[key] / real[key] - 1) < 0.08 for key in edge)
    density = numbers(facts.tables["compound"], "density")
    assert 1.5 < density.min() <= density.max() < 10
    heavier = """
        SELECT AVG((a.molar_mass > b.molar_mass) = (a.density > b.density)) FROM compound a JOIN compound b
        ON a.structure = b.structure AND ABS(a.molar_mass - b.molar_mass) > 0.15 * b.molar_mass
    """
    assert rows(facts, heavier)[0][0] > 0.85


@each_seed
def test_wide_gaps_bend_light_less(seed: int) -> None:
    facts = filled(NAME, seed)
    compound = facts.tables["compound"]
    gap, index = numbers(compound, "band_gap"), numbers(compound, "refractive_index")
    assert rank_correlation(gap, index) < -0.9
    assert 1.3 < index.min() <= index.max() < 2.7
    edge = numbers(compound, "absorption_edge")
    assert 95 < edge.min() <= edge.max() < 550
    ultraviolet = mean_by(facts, "SELECT structure = 'fluorite', AVG(absorption_edge) FROM compound GROUP BY 1")
    assert ultraviolet.get(1, 130) < 160 < ultraviolet[0]
    assert 1 < numbers(compound, "reflectance").min() <= numbers(compound, "reflectance").max() < 20


@each_seed
def test_long_firing_makes_dense_and_coarse_ceramics(seed: int) -> None:
    facts = filled(NAME, seed)
    specimen = facts.tables["specimen"]
    hold, dense = numbers(specimen, "hold"), numbers(specimen, "relative_density")
    assert 80 < dense.min() <= dense.max() < 99.5
    assert rank_correlation(hold, dense) > 0.5
    assert rank_correlation(hold, numbers(specimen, "grain")) > 0.4
    strength = numbers(specimen, "strength")
    assert rank_correlation(strength, through(facts, "specimen", "compound", "hardness")) > 0.6
    assert 5 <= strength.min() <= strength.max() < 500
    ratio = (numbers(specimen, "sintering") + 273.15) / (through(facts, "specimen", "compound", "melting") + 273.15)
    assert 0.65 < ratio.min() <= ratio.max() < 0.9
    assert 1 < numbers(specimen, "mass").min() <= numbers(specimen, "mass").max() < 40


@each_seed
def test_laboratories_spend_and_fire_by_their_size(seed: int) -> None:
    facts = filled(NAME, seed)
    laboratory = facts.tables["laboratory"]
    assert rank_correlation(numbers(laboratory, "staff"), numbers(laboratory, "furnaces")) > 0.6
    per_head = rows(facts, "SELECT budget / staff FROM laboratory WHERE budget IS NOT NULL")
    assert all(50_000 < money < 180_000 for (money,) in per_head)
    busy = rows(facts, "SELECT 1.0 * h.furnace_hours / l.furnaces / 2190 FROM laboratory_furnace_hours h "
                       "JOIN laboratory l ON l.id = h.laboratory")  # fmt: skip
    assert 0.2 < min(busy)[0] <= max(busy)[0] < 0.9
    season = mean_by(facts, "SELECT period, SUM(furnace_hours) FROM laboratory_furnace_hours GROUP BY period")
    assert season["2030-Q3"] < season["2030-Q2"]


@each_seed
def test_papers_are_cited_unequally_and_in_time(seed: int) -> None:
    facts = filled(NAME, seed)
    assert rows(facts, "SELECT AVG(self_citation) FROM citation")[0][0] < 0.35
    paper = facts.tables["paper"]
    assert numbers(paper, "citation_count").sum() == numbers(paper, "reference_count").sum()
    counts = np.sort(numbers(paper, "citation_count"))[::-1]
    assert counts[: len(counts) // 5].sum() > 0.35 * counts.sum()
    age = mean_by(facts, "SELECT year(date) > 2025, AVG(citation_count) FROM paper GROUP BY 1")
    assert age[0] > age[1]
    assert 25 < numbers(paper, "review").min() <= numbers(paper, "review").max() < 400


@each_seed
def test_credit_falls_along_the_byline(seed: int) -> None:
    facts = filled(NAME, seed)
    wrong = """
        SELECT a.id FROM authorship a JOIN authorship b ON a.paper = b.paper
        WHERE a.place < b.place AND a.credit <= b.credit
    """
    assert rows(facts, wrong) == []
    pairs = "SELECT COUNT(*), COUNT(DISTINCT paper || author) FROM authorship"
    assert len(set(rows(facts, pairs)[0])) == 1


@each_seed
def test_researchers_have_careers_that_can_be(seed: int) -> None:
    facts = filled(NAME, seed)
    researcher = facts.tables["researcher"]
    papers, index = numbers(researcher, "papers"), numbers(researcher, "h_index")
    assert (index <= papers).all()
    assert (index**2 <= numbers(researcher, "citation_count")).all()
    assert rank_correlation(papers, index) > 0.3
    early = """
        SELECT a.id FROM authorship a JOIN researcher r ON r.id = a.author JOIN paper p ON p.id = a.paper
        WHERE year(p.date) < r.doctorate + 5
    """
    assert rows(facts, early) == []
    supervised = np.array(numbers(researcher, "students")) / (2031 - numbers(researcher, "doctorate"))
    assert supervised.max() < 1.6


@each_seed
def test_programmes_are_running_and_paid_for(seed: int) -> None:
    facts = filled(NAME, seed)
    assert rows(facts, "SELECT id FROM programme WHERE ends <= 2031 OR ends - year(started) > 22") == []
    assert rows(facts, "SELECT id FROM programme WHERE ABS(impact * papers - citations) > 0.006 * papers") == []
    assert rows(facts, "SELECT SUM(papers) FROM programme") == [(facts.tables["paper"].size,)]
    assert rows(facts, "SELECT MAX(received) < '2031' AND MAX(date) < '2031' FROM paper") == [(1,)]
