import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.scoring.answer import read_answer
from worldgen.scoring.column import infer_column
from worldgen.scoring.markdown import read_markdown_table
from worldgen.scoring.table import Table, TableError, read_delimited, table_of


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["1990", "", "2001"], ("1990.0", "nan", "2001.0")),
        (["007", "+5", "-0", " 12 "], ("7", "5", "0", "12")),
        (["1.50", "2"], ("1.5", "2.0")),
        (["1e5", ".5", "1."], ("100000.0", "0.5", "1.0")),
        (["True", "false", "TRUE"], ("True", "False", "True")),
        (["true", "N/A"], ("True", "nan")),
        (["true", "1"], ("true", "1")),
        (["", "NA", "null", "None", "n/a", "-nan"], ("nan",) * 6),
        (["inf", "-Infinity"], ("inf", "-inf")),
        (["1_000", "2"], ("1_000", "2")),
        (["1,000", "2"], ("1,000", "2")),
        (["1e", "2"], ("1e", "2")),
        (["１２"], ("１２",)),
        (["9223372036854775808"], ("9223372036854775808",)),
        (["9223372036854775808", ""], ("9223372036854775808", "")),
        (["99999999999999999999", "NA"], ("99999999999999999999", "nan")),
        (["1e400", "1"], ("1e400", "1")),
        (["265.10677326119117"], ("265.1067732611912",)),
        (["9" * 5000], ("9" * 5000,)),
        (["0" * 5000 + "7"], ("7",)),
        (["Foo", "na", "none"], ("Foo", "na", "none")),
        ([], ()),
    ],
)
def test_cells_print_as_the_inferred_type_does(cells, shown):
    assert infer_column(cells) == shown


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("a,b\n1,2\n", ("a", "b"), (("1", "2"),)),
        ("\ufeffa,b\r\n1,2\r\n\r\n3,4", ("a", "b"), (("1", "2"), ("3", "4"))),
        ('a,b\n"x,""y""\nz",2', ("a", "b"), (('x,"y"\nz', "2"),)),
        ('a,b\n"x"y,z"w"', ("a", "b"), (("xy", 'z"w"'),)),
        ("a,a,,a.1\n1,2,3,4", ("a", "a.2", "Unnamed: 2", "a.1"), (("1", "2", "3", "4"),)),
        ("a,b\n1\n2,3", ("a", "b"), (("1", ""), ("2", "3"))),
        ("a,b\nx,1,2\ny,3", ("a", "b"), (("1", "2"), ("3", ""))),
        ("a,b\n \t\n1,2", ("a", "b"), (("1", "2"),)),
        ("a,b", ("a", "b"), ()),
    ],
)
def test_delimited_texts_read_as_the_official_reader_does(text, columns, rows):
    assert read_delimited(text) == Table(columns, rows)


@pytest.mark.parametrize("text", ["", "\n \n", "a,b\n1,2\n1,2,3", 'a,b\n"1,2'])
def test_unreadable_texts_are_errors(text):
    with pytest.raises(TableError):
        read_delimited(text)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.text('a1 ,"\n', min_size=1, max_size=4).map("v".__add__), min_size=2, max_size=2), min_size=1)
)
def test_quoted_cells_come_back_whole(rows):
    quoted = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [["h", "i"], *rows])
    assert read_delimited(quoted).rows == tuple(map(tuple, rows))


def test_the_answers_table_is_the_first_markdown_fence():
    text = (
        "| x | y |\n```markdown\n| First Name | B |\n|---|---|\n| a | 1 |\n|  |  |\nno pipe\n```\n```markdown\n|z|\n```"
    )
    assert read_answer(text) == Table(("firstname", "b"), (("a", "1"),))


def test_without_a_fence_the_first_run_of_pipes_counts():
    text = "see | Name | B |\n| a | 1 |\n | late | 2 |\nend"
    assert read_answer(text) == Table(("name", "b"), (("a", "1"),))


@pytest.mark.parametrize("text", ["", "no table", "a | b | c |"])
def test_fewer_than_four_pipes_are_no_table(text):
    assert read_answer(text) is None


@pytest.mark.parametrize(
    "text", ["```markdown\n```", "```markdown\n|a|b|\n|1|2|\n|1|2|3|\n```", '```markdown\n|a|\n| "b|\n```']
)
def test_a_broken_table_is_an_error(text):
    with pytest.raises(TableError):
        read_answer(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b\n--- | ---\n1 | 2", Table(("a", "b"), (("1", "2"),))),
        ("| a | b |\n|:-:|--:|\n| 1 |\n| 1 | 2 | 3 |\n\n| 5 | 6 |", Table(("a", "b"), (("1", ""), ("1", "2")))),
        ("| a |\n|---|\n| x \\| y |", Table(("a",), (("x \\| y",),))),
        ("| a | b |\n| 1 | 2 |", None),
        ("no table", None),
        ("| out |\n|---|\n| 1 |\n```markdown\n| in |\n|---|\n| 2 |\n```", Table(("in",), (("2",),))),
        ("```\ncode\n```\n~~~md\n| in |\n|---|\n| 2 |", Table(("in",), (("2",),))),
    ],
)
def test_markdown_tables(text, expected):
    assert read_markdown_table(text) == expected


def test_records_become_a_table():
    assert table_of([{"A": 1}, {"B": None, "A": " x "}]) == Table(("A", "B"), (("1", ""), ("x", "")))
