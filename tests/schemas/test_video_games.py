"""Video games: would somebody who makes, sells or reviews them believe these two years?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "video-games"


@each_seed
def test_sequels_come_out_in_their_order(seed: int) -> None:
    facts = filled(NAME, seed)
    pairs = rows(
        facts,
        "SELECT a.number, b.number, a.released, b.released FROM game a JOIN game b"
        " ON a.franchise = b.franchise AND a.number < b.number",
    )
    assert len(pairs) >= 10
    assert all(second == first + 1 and earlier < later for first, second, earlier, later in pairs)
    past = through(facts, "game", "franchise", "past")
    number = numbers(facts.tables["game"], "number")
    assert set(number - past) == {1, 2}
    assert 2 <= number.min() <= number.max() <= 11


@each_seed
def test_games_came_out_in_these_two_years(seed: int) -> None:
    facts = filled(NAME, seed)
    years = mean_by(facts, "SELECT year(released), COUNT(*) FROM game GROUP BY 1")
    assert set(years) == {2030, 2031}
    assert min(years.values()) >= 8
    late = "SELECT r.id FROM release r JOIN machine m ON m.id = r.machine WHERE r.out <= m.launched"
    assert rows(facts, late) == []
    young = """
        SELECT f.id FROM franchise f JOIN studio s ON s.id = f.studio JOIN publisher p ON p.id = s.publisher
        WHERE year(f.debut) <= s.founded OR p.founded > 2018
    """
    assert rows(facts, young) == []


@each_seed
def test_money_makes_larger_dearer_games(seed: int) -> None:
    facts = filled(NAME, seed)
    game, studio = facts.tables["game"], facts.tables["studio"]
    known = game.columns["budget"].given
    budget = numbers(game, "budget")[known]
    assert rank_correlation(budget, numbers(game, "price")[known]) > 0.6
    assert rank_correlation(budget, numbers(game, "install_size")[known]) > 0.6
    assert rank_correlation(budget, numbers(game, "reviews")[known]) > 0.5
    assert 200_000 <= budget.min() <= budget.max() <= 500_000_000
    assert skewed(budget)
    assert skewed(numbers(studio, "headcount"))
    months = numbers(game, "months")
    assert 12 <= months.min() <= np.median(months) <= 45
    assert set(numbers(game, "price") % 5) == {0}


@each_seed
def test_length_and_age_follow_the_genre(seed: int) -> None:
    facts = filled(NAME, seed)
    sql = "SELECT f.genre, AVG(g.{0}) FROM game g JOIN franchise f ON f.id = g.franchise GROUP BY 1"
    hours, age = mean_by(facts, sql.format("hours")), mean_by(facts, sql.format("age_rating"))
    assert hours["role_playing"] > hours["adventure"]
    assert hours["role_playing"] > 2 * hours["shooter"]
    assert hours["role_playing"] > 3 * hours.get("puzzle", 7)
    assert age["shooter"] >= age["adventure"] > age.get("puzzle", 3)
    assert set(numbers(facts.tables["game"], "age_rating")) <= {3, 7, 12, 16, 18}


@each_seed
def test_critics_players_and_buyers_mostly_agree(seed: int) -> None:
    game = filled(NAME, seed).tables["game"]
    critics, users, copies = (numbers(game, key) for key in ("critic_score", "user_score", "copies"))
    assert rank_correlation(critics, users) > 0.55
    assert rank_correlation(critics, copies) > 0
    assert 65 < np.median(critics) < 82
    assert 40 <= critics.min() <= critics.max() <= 98
    assert copies.mean() > 1.25 * np.median(copies)
    assert (numbers(game, "peak_players") < 0.4 * copies).all()


@each_seed
def test_versions_fit_their_machines(seed: int) -> None:
    facts = filled(NAME, seed)
    release = facts.tables["release"]
    assert rank_correlation(numbers(release, "download"), through(facts, "release", "game", "install_size")) > 0.8
    assert (numbers(release, "download") < 1.05 * through(facts, "release", "game", "install_size")).all()
    given = release.columns["score"].given
    assert (
        rank_correlation(numbers(release, "score")[given], through(facts, "release", "game", "critic_score")[given])
        > 0.9
    )
    power = mean_by(facts, "SELECT form, AVG(power) FROM machine GROUP BY form")
    assert power.get("console", 185) > 5 * power.get("handheld", 15)
    mass = mean_by(facts, "SELECT form, AVG(mass) FROM machine GROUP BY form")
    assert mass.get("console", 3400) > mass.get("handheld", 420)


@each_seed
def test_players_come_back_for_the_holidays(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(active) FROM machine_active GROUP BY period")
    assert total["2030-Q4"] > 1.06 * total["2030-Q3"]
    assert total["2031-Q4"] > 1.06 * total["2031-Q3"]
    assert total["2031-Q4"] > total["2030-Q4"]


@each_seed
def test_prizes_go_to_good_games_that_are_out(seed: int) -> None:
    facts = filled(NAME, seed)
    award = facts.tables["award"]
    assert (
        through(facts, "award", "winner", "critic_score").mean()
        > numbers(facts.tables["game"], "critic_score").mean() + 2
    )
    assert (numbers(award, "awarded") > through(facts, "award", "winner", "released")).all()
    assert (numbers(award, "vote_share") * numbers(award, "nominees") > 100).all()
    purse = numbers(award, "purse")[award.columns["purse"].given]
    assert purse.mean() > 1.05 * np.median(purse)


@each_seed
def test_the_market_adds_up(seed: int) -> None:
    facts = filled(NAME, seed)
    publisher, game = facts.tables["publisher"], facts.tables["game"]
    assert numbers(publisher, "sold").sum() == numbers(game, "copies").sum()
    assert numbers(facts.tables["studio"], "games").sum() == game.size
    assert rank_correlation(numbers(publisher, "copy_share"), numbers(publisher, "copy_rank")) < -0.95
    assert rank_correlation(numbers(publisher, "takings"), numbers(publisher, "employees")) > 0.85
