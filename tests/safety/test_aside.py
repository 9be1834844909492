"""Long work beside an event loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from focused_crawler.safety.aside import HOLD, Parts, finished, giving_way


def work(parts: int, seconds: float) -> Parts[int]:
    for _ in range(parts):
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            pass
        yield
    return parts


def failing() -> Parts[int]:
    yield
    raise ValueError("no")


def test_finished() -> None:
    """All parts are done, and errors come through."""
    assert finished(work(3, 0.0)) == 3
    with pytest.raises(ValueError, match="no"):
        finished(failing())


@pytest.mark.parametrize(("seconds", "turns"), [(HOLD, 5), (0.0, 0)])
def test_others_have_their_turn(seconds: float, turns: int) -> None:
    """Work that takes long gives way after each HOLD; short work never."""

    async def run() -> tuple[int, int]:
        seen = 0

        async def other() -> None:
            nonlocal seen
            while True:
                seen += 1
                await asyncio.sleep(0)

        beside = asyncio.ensure_future(other())
        result = await giving_way(work(5, seconds))
        before = seen
        beside.cancel()
        return result, before

    assert asyncio.run(run()) == (5, turns)


def test_it_rests() -> None:
    """The loop has as long for others as the parts took, or a share of that."""
    for rest in (0.0, 0.5, 1.0):
        began = time.perf_counter()
        asyncio.run(giving_way(work(5, HOLD), rest))
        took = time.perf_counter() - began
        assert took >= 5 * HOLD * (1 + rest)


def test_errors_come_through() -> None:
    """As they do from work that is done at once."""
    with pytest.raises(ValueError, match="no"):
        asyncio.run(giving_way(failing()))
