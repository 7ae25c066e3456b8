"""Processes that have a model loaded and make templates, one photo at a time each.

A network written in C++ holds Python's lock while it computes, so threads would wait for each other; and a decoder that
a photo makes crash takes only its process with it. Whoever starts the processes needs no `if __name__ == "__main__"`.

Conventions: a process gets lines of JSON on its standard input, the first with the model, each other with the path of a
photo or the number of its bytes, which follow. It answers each with a line. What a model prints goes to standard error.
A process that dies, or takes longer than it may, is replaced, and its photo has the reason `crashed`. Linear algebra
has one thread in each process, unless the environment says otherwise.

Holds `Workers`; run as a program this module is such a process.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import IO, Any, Self

import numpy as np

from bertillon.core import InputError
from bertillon.engine.workers import available_cores
from bertillon.extraction.models import Extract, FaceModel, face_model
from bertillon.extraction.photos import MAX_PIXELS, Unusable, decode_photo, pillow_modules, read_photo

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PATIENCE = 600.0  # seconds for one photo


class Workers:
    """Processes with one model, each used by one thread at a time; closed at the end of `with`."""

    def __init__(
        self,
        name: str,
        *,
        resize: tuple[int, int] | None = None,
        number: int | None = None,
        max_pixels: int = MAX_PIXELS,
        patience: float = PATIENCE,
    ) -> None:
        self.number, self.patience = number or available_cores(), patience
        about = {"model": name, "resize": resize, "max_pixels": max_pixels, "path": sys.path}
        self._opening = json.dumps(about).encode() + b"\n"
        self._free: queue.LifoQueue[_Process] = queue.LifoQueue()
        self._every = [_Process(self._opening) for _ in range(self.number)]
        try:
            for process in self._every:
                process.greet()
                self._free.put(process)
        except BaseException:
            self.close()
            raise
        self.fingerprint = self._every[0].fingerprint

    def extract(self, photo: str | os.PathLike[str] | bytes) -> Extract:
        """The template of a photo in a file, or of the bytes of one; waits for a free process."""
        process = self._free.get()
        try:
            return process.ask(photo, self.patience)
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the processes."""
        for process in self._every:
            process.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Process:
    """One process, started anew when it has died."""

    def __init__(self, opening: bytes) -> None:
        self._opening, self.fingerprint = opening, ""
        self._start()

    def _start(self) -> None:
        environment = {**dict.fromkeys(ONE_THREAD, "1"), **os.environ}
        command = [sys.executable, "-c", "from bertillon.extraction.workers import main; main()"]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        # a session of its own: Ctrl-C is for who started it, and ends it by closing its input
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
        self._send(self._opening)

    def greet(self) -> None:
        """Wait until the model is loaded."""
        answer = self._answer()
        if answer is None:
            raise InputError(f"the process that loads the model {self._ended()} before it answered; see above for why")
        if "error" in answer:
            raise InputError(answer["error"])
        self.fingerprint = answer["fingerprint"]

    def ask(self, photo: str | os.PathLike[str] | bytes, patience: float) -> Extract:
        if self._process.poll() is not None:
            self.end()
            self._start()
            self.greet()
        if isinstance(photo, bytes):
            self._send(json.dumps({"bytes": len(photo)}).encode() + b"\n" + photo)
        else:
            self._send(json.dumps({"path": os.fspath(photo)}).encode() + b"\n")
        late = threading.Timer(patience, self._process.kill)
        late.start()
        try:
            answer = self._answer()
        finally:
            late.cancel()
        if answer is None:
            raise Unusable("crashed", self._ended())
        if "reason" in answer:
            raise Unusable(answer["reason"], answer["detail"])
        vector = np.frombuffer(base64.b64decode(answer.pop("vector")), dtype=answer.pop("type"))
        return Extract(vector, **answer)

    def _send(self, content: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(content)
            self._process.stdin.flush()
        except OSError:  # it is dead, which reading its answer tells
            pass

    def _answer(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def _ended(self) -> str:
        code = self._process.wait()
        return f"ended by signal {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was not sent is of no use any more
                pass


def main() -> None:
    """The process: answers until its input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the model prints is no answer
    asked = sys.stdin.buffer
    about = json.loads(asked.readline())
    sys.path[:] = about["path"]
    try:
        pillow_modules()
        model: FaceModel = face_model(about["model"], resize=tuple(about["resize"]) if about["resize"] else None)
        _write_answer(answers, {"fingerprint": model.fingerprint})
    except InputError as error:
        _write_answer(answers, {"error": str(error)})
        return
    while line := asked.readline():
        try:
            photo = json.loads(line)
            _write_answer(answers, _extracted(model, photo, asked, about["max_pixels"]))
        except Unusable as error:
            _write_answer(answers, {"reason": error.reason, "detail": error.detail})
        except MemoryError:
            _write_answer(answers, {"reason": "too_large", "detail": "memory"})


def _extracted(model: FaceModel, photo: dict[str, Any], asked: IO[bytes], max_pixels: int) -> dict[str, Any]:
    if "bytes" in photo:
        pixels = decode_photo(asked.read(photo["bytes"]), resize=model.size, max_pixels=max_pixels)
    else:
        pixels = read_photo(photo["path"], resize=model.size)
    found = model.extract(pixels)
    vector = np.ascontiguousarray(found.vector)
    known = {name: value for name, value in asdict(found).items() if name != "vector"}
    return {**known, "vector": base64.b64encode(vector.tobytes()).decode(), "type": vector.dtype.str}


def _write_answer(answers: IO[bytes], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
