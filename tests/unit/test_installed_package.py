"""What is tested is what a user installs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import replay_lab


@pytest.mark.skipif("REPLAY_LAB_WHEEL" not in os.environ, reason="not run by `python -m tests`")
def test_the_package_under_test_is_the_installed_wheel() -> None:
    assert Path(replay_lab.__file__).parent.parent.name == "site-packages"


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(replay_lab.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("name", replay_lab.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(replay_lab, name) is not None


def test_dir_lists_the_public_names() -> None:
    assert set(dir(replay_lab)) == set(replay_lab.__all__)


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'replay_lab' has no attribute 'replay_harder'"):
        replay_lab.replay_harder  # noqa: B018
