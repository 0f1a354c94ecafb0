"""What a plugin keeps: texts, files, a database."""

import json
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _wire as wire
from ._records import Result

Data = Union[bytes, bytearray, memoryview, str]


class Kv:
    """Texts under keys. They outlive the plugin's instance, its updates and its removal."""

    def get(self, key: str) -> Optional[str]:
        """The text, or None; an empty text counts as none."""
        return wire.value("kv_get", {"key": str(key)}) or None

    def set(self, key: str, value: object) -> None:
        """Store a text."""
        wire.demand("kv_set", {"key": str(key), "value": str(value)})

    def get_json(self, key: str, fallback: Any = None) -> Any:
        """What `set_json` stored, or `fallback`."""
        text = self.get(key)
        if text is None:
            return fallback
        try:
            return json.loads(text)
        except ValueError:
            return fallback

    def set_json(self, key: str, value: Any) -> None:
        """Store anything JSON can say."""
        self.set(key, wire.stored_json(value))

    def delete(self, key: str) -> None:
        """Forget a key."""
        self.set(key, "")


class Files:
    """The plugin's private folder."""

    def read(self, path: str) -> Optional[bytes]:
        """A file's bytes, or None."""
        return wire.from_base64(wire.value("fs_read", {"path": str(path)}))

    def read_text(self, path: str) -> Optional[str]:
        """A file as text, or None."""
        return _text(self.read(path))

    def write(self, path: str, data: Data) -> Result:
        """Write a file and the folders above it. The outcome has ``ok`` and, if not, ``error``."""
        return wire.an_outcome("fs_write", {"path": str(path), "base64": wire.as_base64(data)})

    def list(self, dir: str = "") -> "List[str]":
        """Names in a folder."""
        return wire.a_list("fs_list", {"dir": str(dir)})

    def delete(self, path: str) -> Result:
        """Delete a file or an empty folder."""
        return wire.an_outcome("fs_delete", {"path": str(path)})

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return wire.value("fs_exists", {"path": str(path)}) is True


class Assets:
    """Files of the package's own ``assets`` folder. Needs no permission."""

    def read(self, path: str) -> Optional[bytes]:
        """A file's bytes, or None."""
        return wire.from_base64(wire.value("asset_read", {"path": str(path)}))

    def read_text(self, path: str) -> Optional[str]:
        """A file as text, or None."""
        return _text(self.read(path))


class Storage:
    """Public files."""

    def upload(self, name: str, data: Data) -> Optional[Result]:
        """Put a file where everybody can read it; the answer has ``url``. None when that failed."""
        return wire.a_result("storage_upload", {"name": str(name), "base64": wire.as_base64(data)})


class Sql:
    """The plugin's own SQLite database. Every failure raises `RuntimeError`."""

    def exec(self, sql: str, params: Optional[Sequence[Any]] = None) -> Result:
        """Run statements, all or none; the answer has ``rowsAffected`` and ``lastInsertId``."""
        return Result(self._ask("sql_exec", sql, params, None))

    def query(self, sql: str, params: Optional[Sequence[Any]] = None) -> List[Result]:
        """All rows, each a dict by column."""
        return self._rows(sql, params, None)

    def query_row(self, sql: str, params: Optional[Sequence[Any]] = None) -> Optional[Result]:
        """The first row, or None."""
        rows = self._rows(sql, params, 1)
        return rows[0] if rows else None

    def _rows(self, sql: str, params: Optional[Sequence[Any]], max_rows: Optional[int]) -> List[Result]:
        told = self._ask("sql_query", sql, params, max_rows)
        columns, rows = told.get("columns") or [], told.get("rows") or []
        return [Result(row if isinstance(row, dict) else zip(columns, row)) for row in rows]

    def _ask(self, name: str, sql: str, params: Optional[Sequence[Any]], max_rows: Optional[int]) -> Dict[str, Any]:
        args: Dict[str, Any] = {"sql": str(sql)}
        if params is not None:
            args["params"] = list(params)
        if max_rows is not None:
            args["maxRows"] = max_rows
        told = wire.demand(name, args)
        if not isinstance(told, dict):
            raise RuntimeError("the server gave no answer to the SQL request")
        return told


def _text(data: Optional[bytes]) -> Optional[str]:
    return None if data is None else data.decode("utf-8", "replace")
