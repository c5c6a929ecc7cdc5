"""Films of a region: would somebody who makes, shows or funds small films believe these figures?"""

import datetime as dt
from itertools import pairwise

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "regional-cinema"


@each_seed
def test_nobody_makes_two_films_in_a_year(seed: int) -> None:
    facts = filled(NAME, seed)
    made = rows(facts, "SELECT director, premiere FROM film ORDER BY director, premiere")
    for before, after in pairwise(made):
        if before[0] == after[0]:
            assert 365 <= (dt.date.fromisoformat(after[1]) - dt.date.fromisoformat(before[1])).days <= 520
    films = numbers(facts.tables["director"], "films")
    assert films.min() >= 1
    assert films.max() == 2
    assert set(mean_by(facts, "SELECT year(premiere), COUNT(*) FROM film GROUP BY 1")) == {2026, 2027, 2028}


@each_seed
def test_films_cost_what_their_kind_costs(seed: int) -> None:
    facts = filled(NAME, seed)
    film = facts.tables["film"]
    budget, minutes, days = (numbers(film, key) for key in ("budget", "running_time", "shooting_days"))
    assert 20_000 <= budget.min() <= budget.max() <= 2_500_000
    assert 90_000 <= np.median(budget) <= 350_000
    assert skewed(budget) or budget.mean() > np.median(budget)
    by_genre = mean_by(facts, "SELECT genre, AVG(budget) FROM film GROUP BY genre")
    assert by_genre["documentary"] < 0.6 * by_genre["drama"]
    assert by_genre.get("history", 500_000) > by_genre["comedy"]
    pace = mean_by(facts, "SELECT genre, AVG(1.0 * shooting_days / running_time) FROM film GROUP BY genre")
    assert pace["documentary"] > 1.4 * pace["drama"]
    assert 61 <= minutes.min() <= np.median(minutes) <= minutes.max() <= 152
    assert 12 <= days.min() <= days.max() <= 90
    share = numbers(film, "aid") / budget
    assert 0.1 <= share.min() <= share.max() <= 0.76


@each_seed
def test_cinemas_alone_never_pay_for_a_film(seed: int) -> None:
    facts = filled(NAME, seed)
    film = facts.tables["film"]
    takings, admissions = numbers(film, "box_office"), numbers(film, "admissions")
    assert (takings < 0.5 * numbers(film, "budget")).all()
    assert 4.5 <= (takings / admissions).min() <= (takings / admissions).max() <= 10
    assert skewed(takings)
    assert rank_correlation(takings, numbers(film, "box_office_rank")) < -0.99
    assert rank_correlation(admissions, numbers(film, "cinemas")) > 0.3
    assert numbers(film, "cinemas").min() >= 1


@each_seed
def test_good_films_fill_more_seats(seed: int) -> None:
    facts = filled(NAME, seed)
    film, run = facts.tables["film"], facts.tables["run"]
    given = film.columns["viewer_score"].given
    assert rank_correlation(numbers(film, "critic_score")[given], numbers(film, "viewer_score")[given]) > 0.6
    filling = rows(
        facts,
        "SELECT 1.0 * r.admissions * c.screens / (r.showings * c.seats), f.critic_score FROM run r"
        " JOIN cinema c ON c.id = r.cinema JOIN film f ON f.id = r.film",
    )
    occupancy, score = np.array(filling).T
    assert rank_correlation(occupancy, score) > 0.4
    assert 0.2 <= np.median(occupancy) <= 0.45
    assert rank_correlation(numbers(run, "admissions"), numbers(run, "showings")) > 0.5
    assert 2 <= numbers(run, "showings").min() <= numbers(run, "showings").max() <= 45
    assert 2 <= numbers(run, "days").min() <= numbers(run, "days").max() <= 90
    assert rank_correlation(numbers(run, "takings"), numbers(run, "admissions")) > 0.95


@each_seed
def test_cinemas_are_small_and_live_by_the_season(seed: int) -> None:
    facts = filled(NAME, seed)
    cinema = facts.tables["cinema"]
    seats = numbers(cinema, "seats")
    assert 40 <= (seats / numbers(cinema, "screens")).min() <= (seats / numbers(cinema, "screens")).max() <= 140
    year = mean_by(facts, "SELECT cinema, SUM(admissions) FROM cinema_admissions WHERE period LIKE '2028%' GROUP BY 1")
    annual = np.array([year[f"cinema/{row}"] for row in range(cinema.size)])
    assert 3_000 <= annual.min() <= annual.max() <= 90_000
    assert rank_correlation(annual, seats) > 0.5
    assert 40 <= (annual / seats).min() <= (annual / seats).max() <= 240, "a seat is sold once or twice a week"
    total = mean_by(facts, "SELECT period, SUM(admissions) FROM cinema_admissions GROUP BY period")
    assert total["2028-Q3"] < total["2028-Q2"] < total["2028-Q1"] < total["2028-Q4"]
    price = mean_by(facts, "SELECT operator, AVG(ticket_price) FROM cinema GROUP BY operator")
    if {"society", "family"} <= price.keys():
        assert price["society"] < price["family"]
    helpers = mean_by(facts, "SELECT operator, AVG(helpers) FROM cinema WHERE helpers IS NOT NULL GROUP BY operator")
    if {"society", "family"} <= helpers.keys():
        assert helpers["society"] > 1.8 * helpers["family"]
    regional = numbers(cinema, "regional_audience").sum() / annual.sum()
    assert 0.02 < regional < 0.3


@each_seed
def test_records_are_small_editions_of_the_film_music(seed: int) -> None:
    facts = filled(NAME, seed)
    record = facts.tables["record"]
    price = mean_by(facts, "SELECT format, AVG(price) FROM record GROUP BY format")
    assert price["vinyl"] > 1.4 * price["disc"]
    assert price["disc"] > price.get("cassette", 10)
    assert rank_correlation(numbers(record, "playing_time"), through(facts, "record", "film", "music_minutes")) > 0.6
    assert rank_correlation(numbers(record, "playing_time"), numbers(record, "tracks")) > 0.5
    pressed, sold = numbers(record, "pressed"), numbers(record, "sold")
    assert 100 <= pressed.min() <= np.median(pressed) <= 800
    assert pressed.max() <= 2_400
    assert rank_correlation(sold / pressed, through(facts, "record", "film", "critic_score")) > 0.25
    label = facts.tables["label"]
    assert numbers(label, "copies").sum() == sold.sum()
    assert (numbers(label, "catalogue") > numbers(label, "releases")).all()


@each_seed
def test_festivals_reward_good_new_films(seed: int) -> None:
    facts = filled(NAME, seed)
    festival = facts.tables["festival"]
    prized = through(facts, "festival", "winner", "critic_score")
    assert prized.mean() > numbers(facts.tables["film"], "critic_score").mean()
    days, seats = numbers(festival, "length"), through(facts, "festival", "host", "seats")
    assert (numbers(festival, "visitors") <= 3 * days * seats).all()
    assert (numbers(festival, "competing") <= 4 * days).all()
    quarter = rows(
        facts,
        "SELECT e.id FROM festival e JOIN cinema_admissions a ON a.cinema = e.host AND a.period ="
        " substr(e.opened, 1, 4) || '-Q' || ((CAST(substr(e.opened, 6, 2) AS INTEGER) + 2) / 3)"
        " WHERE e.visitors > 0.8 * a.admissions",
    )
    assert quarter == []
    tickets = numbers(festival, "pass_price") / through(facts, "festival", "host", "ticket_price")
    assert (tickets < 2 * days).all()


@each_seed
def test_people_are_grown_up_and_charge_by_experience(seed: int) -> None:
    facts = filled(NAME, seed)
    ages = "SELECT MIN({0} - year(born)), MAX(2029 - year(born)) FROM {1}"
    for first, table in (("debut", "director"), ("active_since", "composer")):
        youngest, oldest = rows(facts, ages.format(first, table))[0]
        assert youngest >= 16
        assert oldest <= 78
    paid = rows(facts, "SELECT fee, 2029 - active_since FROM composer WHERE fee IS NOT NULL")
    fee, years = np.array(paid, dtype=float).T
    assert rank_correlation(fee, years) > 0.5
    assert 50 <= fee.min() <= fee.max() <= 450
    composer = facts.tables["composer"]
    assert numbers(composer, "minutes_written").sum() == numbers(facts.tables["film"], "music_minutes").sum()
