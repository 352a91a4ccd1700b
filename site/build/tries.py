"""Settings worth trying: one changed constant each, and what to watch for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from build.errors import BuildError


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """
    One changed setting.

    Parameters
    ----------
    name : str
        What its button says.
    setting : str
        A constant of the first cell.
    value : str
        In Python.
    watch : str
        What to watch for. A test runs the study with this setting and holds the text to it.
    """

    name: str
    setting: str
    value: str
    watch: str


TRIES = (
    Try(
        name="Two shards",
        setting="shards",
        value="2",
        watch="Two numbers have the same sum in either order: the reversed reduction agrees bit for bit.",
    ),
    Try(
        name="Seven logged digits",
        setting="logged_digits",
        value="7",
        watch="A wider log sees the reversed order at a few steps. Most stay hidden even from it.",
    ),
    Try(
        name="A high learning rate",
        setting="learning_rate",
        value="0.5",
        watch="The weights move in longer steps, so the same rounding ends further apart and the log sees it at least once.",
    ),
    Try(
        name="A late checkpoint",
        setting="checkpoint_step",
        value="90",
        watch="The two resets differ at fewer steps, yet their last losses are further from the reference: less time to recover.",
    ),
    Try(
        name="One logged digit",
        setting="logged_digits",
        value="1",
        watch="Now the log hides nearly all of the two resets as well, though their weights are far apart: hidden does not mean small.",
    ),
)


def try_list(config: Mapping[str, Any]) -> str:
    """
    Return the settings to try as a list of buttons with their sentences.

    Parameters
    ----------
    config : mapping
        Of the saved run: a setting to try must be one of it, and another.

    Raises
    ------
    BuildError
        A setting is unknown, or is the saved one already.
    """
    return "\n".join(_item(each, config) for each in TRIES)


def _item(each: Try, config: Mapping[str, Any]) -> str:
    if each.setting not in config or str(config[each.setting]) == each.value:
        raise BuildError(f"`{each.name}` tries {each.setting} = {each.value}, which changes nothing")
    setting = f"{each.setting} = {each.value}"
    return (
        f'<li><span class="with-scripts"><button type="button" data-edit-action="try"'
        f' data-setting="{escape(each.setting)}" data-value="{escape(each.value)}">{escape(each.name)}</button></span>'
        f' <p><code>{escape(setting)}</code> {escape(each.watch)}</p></li>'
    )
