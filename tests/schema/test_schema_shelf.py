"""A small file is found by the name of a shipped one or by its path, and a mistake says what there is."""

import pytest

from worldgen.errors import CallerError
from worldgen.schema.shelf import Shelf


@pytest.fixture
def shelf(tmp_path):
    folder = tmp_path / "shipped"
    folder.mkdir()
    (folder / "calm.yaml").write_text("faults: []\n", "utf-8")
    return Shelf(folder, "plan", "perturbation", 2_000)


def test_a_name_comes_before_a_path(shelf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calm").write_text("a file of that name", "utf-8")
    (tmp_path / "own.yaml").write_text("渡", "utf-8")
    assert shelf.text("calm") == "faults: []\n"
    assert (shelf.text("own.yaml"), shelf.text(tmp_path / "own.yaml")) == ("渡", "渡")
    assert list(shelf.shipped()) == ["calm"]


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("clam", None, "perturbation.unreadable", "did you mean 'calm'"),
        (".", None, "perturbation.unreadable", "a YAML file, or calm"),
        ("a\0b", None, "perturbation.unreadable", "the plan cannot be read"),
        ("bytes.yaml", b"\xff", "perturbation.unreadable", "the plan cannot be read"),
        ("long.yaml", b" " * 2_001, "perturbation.too-large", "2 kB at most"),
    ],
)
def test_what_cannot_be_read_is_told(shelf, tmp_path, monkeypatch, name, content, code, words):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CallerError) as caught:
        shelf.text(name)
    assert caught.value.code == code
    assert words in str(caught.value)
