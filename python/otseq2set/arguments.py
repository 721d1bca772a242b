"""Checks of what is handed over, with messages that name the argument, what was given and what is expected."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Optional, Union

from otseq2set.errors import UsageError

Path = Union[str, "os.PathLike[str]"]

MOST_THREADS = max(256, os.cpu_count() or 1)


def path(value: Path, name: str) -> bytes:
    """The bytes that the system calls it by, which need not be UTF-8."""
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}, but must be a path: str or os.PathLike") from None
    except UnicodeEncodeError:
        raise ValueError(f"{name} has characters that no file name can have: {value!r:.60}") from None
    if not encoded or b"\0" in encoded:
        raise ValueError(f"{name} is {value!r:.60}, which is not a path")
    return encoded


def integer(value: Any, name: str, least: int, most: int) -> int:
    """An int or one of numpy's; True is none."""
    try:
        if type(value).__name__ in ("bool", "bool_"):  # numpy's is no int either
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r:.60}, but must be an integer") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number if abs(number) < 10**18 else 'huge'}, but must be from {least} to {most}")
    return number


def number(value: Any, name: str, least: float, most: float) -> float:
    """A real number; NaN is none."""
    if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is {value!r:.60}, but must be a number")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} is {value!r:.60}, but must be a number") from None
    if math.isnan(result) or not least <= result <= most:
        raise ValueError(f"{name} is {result}, but must be from {least} to {most}")
    return result


def iterator(values: Any, name: str, of: str = "texts") -> Iterator[Any]:
    """Of any iterable; not of what is one by accident: a string's characters, the columns of a table, keys."""
    if isinstance(values, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"{name} is one {type(values).__name__}, but must be a list of {of}")
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        raise TypeError(f"{name} is a table; give one of its columns, such as table['{of}']")
    if isinstance(values, Mapping):
        raise TypeError(f"{name} is of type {type(values).__name__}, but must be a list of {of}")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name} has {values.ndim} dimensions, but must be a list of {of}")
    try:
        return iter(values)
    except TypeError:
        raise TypeError(f"{name} is {describe(values)}, but must be a list of {of}") from None


def portions(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """The texts of any iterable, some at a time."""
    source = iterator(texts, "texts")
    while portion := list(islice(source, size)):
        yield portion


def describe(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


class Choice:
    """Which labels an answer has: as predict, explain and evaluate take it."""

    def __init__(self, top_k: Optional[int], threshold: Optional[float], rule: Optional[str]) -> None:
        if rule is not None and not (isinstance(rule, str) and rule in ("tuned", "greedy")):
            raise UsageError(f"rule is {rule!r:.60}, but must be 'tuned' or 'greedy'")
        self.top_k = None if top_k is None else integer(top_k, "top_k", 1, 2**62)
        self.threshold = None if threshold is None else number(threshold, "threshold", 0, 1)
        self.greedy = rule == "greedy"
        if rule is not None and (self.top_k is not None or self.threshold is not None):
            raise UsageError(f"rule={rule!r} cannot be given together with top_k or threshold")

    def values(self) -> tuple[Optional[int], Optional[float], bool]:
        return self.top_k, self.threshold, self.greedy


OPTIONS = {
    "--resume": "resume=True", "--overwrite": "overwrite=True", "--no-memory-check": "memory_check=False",
    "--set": "config", "--preset": "preset", "--label-names": "label_names", "--valid": "valid", "--vectors": "vectors", "--threads": "threads",
}


def in_terms_of_python(message: str) -> str:
    """A message of the program's, with its options and its counting from 1 as Python has them."""
    for option, argument in OPTIONS.items():
        message = re.sub(rf"{option}\b", argument, message)
    return re.sub(r"\bdocument (\d+):", lambda found: f"texts[{int(found[1]) - 1}]:", message)
