"""The route to the official distribution: one address per file."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from build.file_cache import FileCache
from build.pin import PinnedFile
from build.progress import ByteProgress

_SECONDS_TO_ANSWER = 6
_CHUNK_BYTES = 1 << 16
_FAILURES = (OSError, http.client.HTTPException)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionRoute:
    """Files by their names below one address."""

    address: str

    @property
    def name(self) -> str:
        """Said in messages."""
        return f"the official distribution {self.address}"

    def fetch(self, files: Sequence[PinnedFile], cache: FileCache) -> Mapping[str, str]:
        """
        Get files into the cache; a host that cannot be reached is asked once.

        Parameters
        ----------
        files : sequence of PinnedFile
            What is missing.
        cache : FileCache
            Where it goes.

        Returns
        -------
        mapping
            Name of each file that is still missing to the reason.
        """
        reasons: dict[str, str] = {}
        for position, file in enumerate(files):
            try:
                refusal = cache.keep(file, self._chunks(file))
            except urllib.error.HTTPError as error:
                refusal = f"it answered {error.code} {error.reason}"
                error.close()
            except _FAILURES as error:
                return reasons | dict.fromkeys(
                    (other.name for other in files[position:]), f"not reached: {error}"
                )
            if refusal is not None:
                reasons[file.name] = refusal
        return reasons

    def _chunks(self, file: PinnedFile) -> Iterator[bytes]:
        """The body, piece by piece."""
        with urllib.request.urlopen(self.address + file.name, timeout=_SECONDS_TO_ANSWER) as answer:
            length = answer.headers.get("Content-Length")
            total = int(length) if length and not answer.headers.get("Content-Encoding") else None
            progress = ByteProgress(file.name, total)
            received = 0
            while chunk := answer.read(_CHUNK_BYTES):
                received += len(chunk)
                progress.update(received)
                yield chunk
            progress.finish(received)
