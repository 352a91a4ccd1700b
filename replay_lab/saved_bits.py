"""The digests of a result, small enough to be carried and compared elsewhere."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from .bits import digest_of_texts
from .errors import ResultsError


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedBits:
    """What another machine compares of one result.

    Attributes
    ----------
    name : str
        Of the result, such as ``catalogue``.
    settings : dict of str to str
        Under which it was found, each as text.
    digests : dict of str to str
    portable : bool
        Whether the digests must be the same on every machine.
    """

    name: str
    settings: dict[str, str]
    digests: dict[str, str]
    portable: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> SavedBits:
        """Read what `to_json` returned.

        Raises
        ------
        ResultsError
            When an entry is missing or of another form.
        """
        try:
            if not isinstance(value, dict):
                raise TypeError("not an object")
            return cls(
                name=str(value["name"]),
                settings={str(key): str(text) for key, text in value["settings"].items()},
                digests={str(key): str(text) for key, text in value["digests"].items()},
                portable=value["portable"] is True,
            )
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise ResultsError(f"saved bits lack or misshape an entry: {error!r}") from error


def settings_as_texts(settings: dict[str, Any]) -> dict[str, str]:
    """Return settings by name as they are written in Python."""
    return {name: repr(value) for name, value in settings.items()}


def digest_of_json(value: object) -> str:
    """Return the SHA-256 of a JSON value in one canonical form."""
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return digest_of_texts({"json": text})
