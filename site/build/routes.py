"""The routes to the runtime's files after the cache, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build.pin import RuntimePin
from build.route_carrier import CarrierRoute
from build.route_distribution import DistributionRoute
from build.runtime import Route


def runtime_routes(pin: RuntimePin, python: Path) -> Iterator[Route]:
    """
    Name the routes.

    Parameters
    ----------
    pin : RuntimePin
        Says where the distribution and the carrier are.
    python : Path
        Of an environment that has pip.

    Yields
    ------
    Route
        The official distribution, then the wheel for machines that reach only package indexes.
    """
    yield DistributionRoute(address=pin.distribution)
    yield CarrierRoute(carrier=pin.carrier, python=python)
