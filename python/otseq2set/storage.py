"""The folder of a model, and its content as bytes, for pickling."""

from __future__ import annotations

import multiprocessing.util
import os
import pathlib
import shutil
import tempfile

from otseq2set.errors import Error

# What prediction and who looks at a model need; what only a resumed training needs stays behind.
FILES = ("config.json", "words.txt", "labels.jsonl", "weights.safetensors", "linear.safetensors", "linear.json",
         "joining.json", "set_rule.json", "metrics.json", "log.jsonl")
SUMS = "SHA256SUMS"


class Folder:
    """A folder with a model. One that was made for the model is removed with it."""

    def __init__(self, path: bytes, own: bool = False) -> None:
        self.path = pathlib.Path(os.fsdecode(path)).absolute()  # also after a change of the working folder
        self._seen = self._state()
        if own:
            # Unlike weakref's, it also runs where a process of multiprocessing ends; not in forked children.
            multiprocessing.util.Finalize(self, shutil.rmtree, (self.path, True), exitpriority=0)

    @classmethod
    def temporary(cls) -> Folder:
        return cls(os.fsencode(tempfile.mkdtemp(prefix="otseq2set-")), own=True)

    def loaded(self) -> None:
        """What is in the folder now is what content gives."""
        self._seen = self._state()

    def check(self) -> None:
        """An Error if the files are no longer those that were loaded."""
        if not self._seen or self._state() != self._seen:
            raise Error(f"{self.path}: the model's files are gone or have changed since it was loaded; load it again")

    def content(self) -> dict[str, bytes]:
        """File names and what is in them."""
        self.check()
        content = {name: (self.path / name).read_bytes() for name in self._seen}
        if SUMS in content:  # only of what comes along
            lines = content[SUMS].decode().splitlines(keepends=True)
            content[SUMS] = "".join(line for line in lines if line[66:].rstrip("\n") in content).encode()
        return content

    @classmethod
    def of_content(cls, content: dict[str, bytes]) -> Folder:
        folder = cls.temporary()
        for name, data in content.items():
            if pathlib.PurePath(name).is_absolute() or ".." in pathlib.PurePath(name).parts:
                raise Error(f"{name!r} is not a file of a model")
            file = folder.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        folder.loaded()
        return folder

    def _state(self) -> dict[str, tuple[int, int]]:
        found = [self.path / name for name in (SUMS, *FILES)]
        state: dict[str, tuple[int, int]] = {}
        try:
            found += [member / name for member in sorted(self.path.glob("members/*")) for name in FILES]
        except OSError:  # loading will say what is wrong
            return state
        for file in found:
            try:
                facts = file.stat()
            except OSError:
                continue
            state[str(file.relative_to(self.path))] = (facts.st_size, facts.st_mtime_ns)
        return state
