"""The statement that killed a mutant in an earlier run: tried first in the next one, and decided again, so that a kept
name costs or saves time alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from sonnx_verify.stores.store import Store, default_folder

_KIND = "killers"


@dataclass(slots=True)
class Killers:
    """The killers of mutants by text and name, in the cache; nothing is kept without one."""

    _store: Store | None
    _new: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def opened(cls) -> Killers:
        """Those in the cache of the user."""
        folder = default_folder()
        return cls(None if folder is None else Store(folder))

    def find(self, text: str) -> Mapping[str, str]:
        """The killers of the mutants of a text."""
        body = None if self._store is None else self._store.read(_KIND, _key(text))
        try:
            made = json.loads(body or b"{}")
        except ValueError:
            return {}
        if not isinstance(made, dict) or not all(isinstance(said, str) for said in made.values()):
            return {}
        return made

    def keep(self, text: str, name: str, killer: str) -> None:
        """Take note of the killer of a mutant. Leaving `with` writes what was noted."""
        self._new.setdefault(text, {})[name] = killer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        new, self._new = self._new, {}
        for text, killers in new.items():
            if self._store is not None:
                body = json.dumps({**self.find(text), **killers}, sort_keys=True)
                self._store.write(_KIND, _key(text), body.encode())


def _key(text: str) -> str:
    # By its path in the project: another clone has the same mutants.
    return hashlib.sha256(json.dumps(["killers", text]).encode()).hexdigest()
