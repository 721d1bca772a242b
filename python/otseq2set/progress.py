"""What training shows while it runs: a bar that stays in its place, on a terminal or in a notebook; in a log, lines."""

from __future__ import annotations

import importlib
import shutil
import sys
import time
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otseq2set.training import Progress

WIDTH = 20
LINES_SHOWN = 6  # in a notebook


def display(wanted: bool) -> Display:
    if not wanted:
        return Display()
    return Notebook() if _in_notebook() else Terminal()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Display:
    """Shows nothing."""

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def progress(self, now: Progress) -> None: ...

    def line(self, text: str) -> None: ...

    def close(self) -> None: ...


class Rarely:
    """True the first time, and then once in so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = -float("inf")

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True


def in_words(now: Progress) -> str:
    """What people look for comes first: a narrow terminal shows no more."""
    return (f"epoch {now.epoch}/{now.epochs}  {duration(now.seconds_left)} left  {now.documents_per_second:.0f} documents/s  "
            f"loss {now.loss:.3f} (matching {now.matching_loss:.3f}, transport {now.transport_loss:.3f})  "
            f"rate {now.learning_rate:.2g}")


def share(now: Progress) -> float:
    return now.documents_done / max(now.documents_total, 1)


def duration(seconds: float) -> str:
    minutes, rest = divmod(int(min(seconds, 1e9)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Terminal(Display):
    """On standard error; a bar if that is a terminal, else a line now and then."""

    def __init__(self) -> None:
        self._bar = sys.stderr.isatty()
        self._due = Rarely(0.2 if self._bar else 30)
        self._open = False

    def progress(self, now: Progress) -> None:
        if not self._due():
            return
        filled = int(share(now) * WIDTH)
        bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}] " if self._bar else ""
        self._write(f"{bar}{100 * share(now):3.0f} %  {in_words(now)}", stays=not self._bar)

    def line(self, text: str) -> None:
        self._write(text, stays=True)

    def close(self) -> None:
        if self._open:
            sys.stderr.write("\n")

    def _write(self, text: str, stays: bool) -> None:
        clear = "\r\033[K" if self._open or not stays else ""
        if not stays:  # what is wider than the terminal could not be cleared
            text = text[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(clear + text + ("\n" if stays else ""))
        sys.stderr.flush()
        self._open = not stays


class Notebook(Display):
    """One output of the cell, with a bar and the last lines."""

    def __init__(self) -> None:
        shown: Any = importlib.import_module("IPython.display")
        self._html = shown.HTML
        self._due = Rarely(0.5)
        self._bar = ""
        self._lines: list[str] = []
        self._handle = shown.display(shown.HTML(""), display_id=True)

    def progress(self, now: Progress) -> None:
        if self._due():
            self._bar = (f'<progress value="{share(now):.4f}" max="1" style="width:20em"></progress> '
                         f"{100 * share(now):.0f} %<br>{escape(in_words(now))}")
            self._update()

    def line(self, text: str) -> None:
        self._lines = [*self._lines, text][-LINES_SHOWN:]
        self._update()

    def close(self) -> None:
        self._bar = ""
        self._update()

    def _update(self) -> None:
        lines = "<br>".join(escape(line) for line in self._lines)
        self._handle.update(self._html(f'<div style="font-family:monospace;font-size:90%">{lines}<br>{self._bar}</div>'))
