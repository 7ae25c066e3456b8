"""One thread that asks the gallery, for all who ask the service.

A search of a large gallery reads all of its templates, and each decision waits until its line is on the disk. Both cost
hardly more for several probes than for one, so all searches that wait are answered together: in one product and one
transaction. Nobody waits for others to come.

Holds `Desk`.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError

TOGETHER = 64  # searches at most


@dataclass(slots=True)
class _Asked:
    """One question: searches of a group are answered together, what has no group by itself."""

    group: Hashable | None
    probe: NDArray[np.float32] | None
    name: str
    work: Callable[[Any], Any] | None
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Any]

    def resolve(self, value: Any, error: BaseException | None = None) -> None:
        def done() -> None:
            if not self.answer.done():  # who asked may be gone
                self.answer.set_exception(error) if error else self.answer.set_result(value)

        self.loop.call_soon_threadsafe(done)


class Desk:
    """Asks a gallery one thing after the other."""

    def __init__(self, gallery: Any) -> None:
        self.gallery = gallery
        self._waiting: deque[_Asked] = deque()
        self._some = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
        self._thread.start()

    async def search(self, probe: NDArray[np.float32], name: str, **how: Any) -> Any:
        """Who is this? `how` as in `Gallery.identify`, or `list` as in `Gallery.watch`."""
        return await self._ask(tuple(sorted(how.items())), probe, name, None)

    async def do(self, work: Callable[[Any], Any]) -> Any:
        """Call something with the gallery."""
        return await self._ask(None, None, "", work)

    def close(self) -> None:
        """Answer what waits, then stop."""
        with self._some:
            self._closed = True
            self._some.notify()
        self._thread.join()

    async def _ask(self, group: Hashable | None, probe: Any, name: str, work: Any) -> Any:
        loop = asyncio.get_running_loop()
        asked = _Asked(group, probe, name, work, loop, loop.create_future())
        with self._some:
            if self._closed:
                raise InputError("the service is being stopped")
            self._waiting.append(asked)
            self._some.notify()
        return await asked.answer

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._answer(batch)

    def _next(self) -> list[_Asked] | None:
        """What has waited longest, with all searches of its group; None at the end."""
        with self._some:
            while not self._waiting:
                if self._closed:
                    return None
                self._some.wait()
            first = self._waiting.popleft()
            if first.group is None:
                return [first]
            batch, others = [first], deque[_Asked]()
            while self._waiting:
                asked = self._waiting.popleft()
                (batch if asked.group == first.group and len(batch) < TOGETHER else others).append(asked)
            self._waiting = others
            return batch

    def _answer(self, batch: list[_Asked]) -> None:
        try:
            for asked, answer in zip(batch, self._answers(batch), strict=True):
                asked.resolve(answer)
        except Exception as error:
            if len(batch) == 1:
                batch[0].resolve(None, error)
                return
            for asked in batch:  # one that cannot be answered must not cost the others theirs
                self._answer([asked])

    def _answers(self, batch: list[_Asked]) -> list[Any]:
        first = batch[0]
        if first.work is not None:
            return [first.work(self.gallery)]
        how: dict[str, Any] = dict(first.group)  # type: ignore[call-overload]
        probes = np.stack([asked.probe for asked in batch if asked.probe is not None])
        ask = self.gallery.watch_all if "list" in how else self.gallery.identify_all
        answers: list[Any] = ask(probes, names=[asked.name for asked in batch], **how)
        return answers
