"""The settings of a model and of its training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from otseq2set import _core


class Setting(NamedTuple):
    key: str  #: "model.hidden", as ``train(config={"model.hidden": 256})`` takes it
    value: Any
    help: str
    valid: str  #: "an integer from 1 to 65536"


def presets() -> list[str]:
    """Returns the names that ``train(preset=...)`` accepts.

    >>> "cpu_small" in presets()
    True
    """
    return _core.presets()


def settings(preset: Optional[str] = None, config: Optional[Mapping[str, Any]] = None) -> list[Setting]:
    """Returns every setting with its value in a preset (None: the paper's), changed by ``config``.

    >>> {setting.key: setting.value for setting in settings("cpu_small", {"training.epochs": 3})}["training.epochs"]
    3
    """
    from otseq2set.model import as_python

    with as_python():
        return decoded(_core.settings(preset_name(preset), assignments(config)))


def decoded(rows: list[tuple[str, str, str, str]]) -> list[Setting]:
    return [Setting(key, json.loads(value), help, valid) for key, value, help, valid in rows]


def preset_name(preset: Optional[str]) -> str:
    if preset is None:
        return ""
    if not isinstance(preset, str) or not preset:
        raise TypeError(f"preset is {preset!r:.60}, but must be one of {', '.join(presets())}")
    return preset


def assignments(config: Optional[Mapping[str, Any]]) -> list[str]:
    """{"model.hidden": 256} or {"model": {"hidden": 256}} as the library takes it: ["model.hidden=256"]."""
    if config is None:
        return []
    if not isinstance(config, Mapping):
        raise TypeError(f"config is of type {type(config).__name__}, but must be a dict such as {{'model.hidden': 256}}")
    found = []
    for key, value in config.items():
        if not isinstance(key, str):
            raise TypeError(f"config has the key {key!r:.60}, but keys must be str")
        if isinstance(value, Mapping):
            found += [f"{key}.{inner}" for inner in assignments(value)]
        else:
            found.append(f"{key}={_json(key, value)}")
    return found


def _json(key: str, value: Any) -> str:
    if isinstance(value, (set, frozenset)) or value is None:
        raise TypeError(f"config[{key!r}] is {value!r:.60}, but must be a number, a str, a bool or a list")
    try:
        text = json.dumps(value, allow_nan=False, default=_plain)
        text.encode()
    except (TypeError, ValueError):
        raise TypeError(f"config[{key!r}] is {value!r:.60}, but must be a number, a str, a bool or a list") from None
    return text


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, tuple):
        return list(value)
    raise TypeError
