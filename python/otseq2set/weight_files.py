"""The weights of a trained network by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from otseq2set import _core
from otseq2set.arguments import Path, path

if TYPE_CHECKING:
    import numpy


def weights(folder: Path) -> dict[str, numpy.ndarray]:
    """Returns the arrays of ``weights.safetensors`` in a model's folder, or of any file in that format, by name.

    The names are those of the paper's authors' PyTorch code. The arrays are read-only views of the file in memory.

    >>> weights(folder)["encoder.embedding.weight"].dtype
    dtype('float32')
    """
    place = path(folder, "folder")
    return _core.weights(os.path.join(place, b"weights.safetensors") if os.path.isdir(place) else place)
