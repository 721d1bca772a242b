"""Errors that a user can act on: one line that names the place, what was found and what is expected."""

from __future__ import annotations


class Error(RuntimeError):
    """The input or the environment is at fault: a wrong file, a full disk."""


class UsageError(Error, ValueError):
    """An argument or a setting is at fault."""


class Interrupted(Error):
    """A callback asked training to stop; what is needed to continue is saved."""
