"""The module by whose name packages of other tools import what is ours.

Found last, so that a plugin's own file of that name is the one it gets.
"""

import sys
import types
from importlib.machinery import ModuleSpec
from typing import Any, Dict, Optional

MODULE = "owncast_plugin"


class _Finder:
    def __init__(self, names: Dict[str, Any]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        return ModuleSpec(MODULE, self) if name == MODULE else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(self._names)


def install(names: Dict[str, Any]) -> None:
    """Let the module be imported with these names."""
    sys.modules.pop(MODULE, None)
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != _Finder.__name__]
    sys.meta_path.append(_Finder(names))
