"""Finished work kept on disk, so that a run that was cut off goes on where it stood.

Conventions: one file, replaced whole after each round of work, so that whatever kills the process leaves the last
whole one. It names what it belongs to: a checkpoint of other data, of another question or of another version is
refused, never mixed in. Nothing in it can run code. Where the disk is full the work goes on and says so in the end.

Holds `Checkpoint` and `digest_of`, a short name of arrays.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.files import make_folder, write_whole
from bertillon.core.messages import Message, say


class Checkpoint:
    """A folder that keeps the finished part of one job, in a file named after `what` is done.

    `identity` says which job it is, in words a person can compare.
    """

    def __init__(self, folder: str | os.PathLike[str], what: str, identity: Mapping[str, str]) -> None:
        self.path = make_folder(folder) / f"{what}.npz"
        self.identity = dict(identity)
        self.problem: str | None = None  # why the last writing failed

    def load(self) -> dict[str, NDArray[Any]] | None:
        """What was finished; None where nothing was."""
        if not self.path.exists():
            return None
        arrays = self._read()
        self._require_same(json.loads(bytes(arrays.pop("identity")).decode()))
        return arrays

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What the user must know of it in the end."""
        return (say("warning.checkpoint", problem=self.problem),) if self.problem else ()

    def save(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace what was kept. A disk that is full or gone is no reason to lose hours of work: it is remembered."""
        header = np.frombuffer(json.dumps(self.identity).encode(), dtype=np.uint8)
        whole = {"identity": header, **arrays}

        def fill(file: BinaryIO) -> None:
            np.savez(file, allow_pickle=False, check=_checksum(whole), **whole)

        try:
            write_whole(self.path, fill)
            self.problem = None
        except InputError as error:
            self.problem = str(error)

    def _read(self) -> dict[str, NDArray[Any]]:
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            check = arrays.pop("check", None)
            if check is None or bytes(check) != bytes(_checksum(arrays)):
                raise ValueError("its content and its check sum differ")
        except Exception as error:  # a damaged archive makes numpy raise almost anything
            raise InputError(f"{self.path}: is damaged ({error}); remove it to start over: {self._advice()}") from error
        return arrays

    def _require_same(self, theirs: Mapping[str, str]) -> None:
        differing = [name for name in {**theirs, **self.identity} if theirs.get(name) != self.identity.get(name)]
        if differing:
            name = differing[0]
            raise InputError(
                f"{self.path}: belongs to another job: its {name} is {theirs.get(name, 'not known')}, here it is "
                f"{self.identity.get(name, 'not known')}; name another folder, or start over: {self._advice()}"
            )

    def _advice(self) -> str:
        return f"delete {self.path.name} in {self.path.parent}"


def digest_of(arrays: Iterable[NDArray[Any]]) -> str:
    """A short name of all that arrays hold: their types, shapes and content."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape};".encode())
        if array.dtype == object:  # templates of several lengths
            digest.update(digest_of(array).encode())
        elif array.size:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """A check sum over names and content."""
    names = sorted(arrays)
    whole = [np.frombuffer(" ".join(names).encode(), dtype=np.uint8), *(arrays[name] for name in names)]
    return np.frombuffer(digest_of(whole).encode(), dtype=np.uint8)
