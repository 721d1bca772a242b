from collections.abc import Callable
from typing import Any, Optional

def train(texts: list[str], labels: list[Any], label_names: Optional[dict[str, str]],
          valid: Optional[tuple[list[str], list[Any]]], folder: bytes, preset: str, settings: list[str], vectors: bytes,
          threads: int, resume: bool, overwrite: bool, memory_check: bool, checkpoint_minutes: float,
          hours: float, progress: Callable[..., bool], log: Callable[[str], None]) -> None: ...
