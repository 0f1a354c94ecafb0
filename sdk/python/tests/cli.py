"""What the tests of the command line share: a folder of their own, and the command with its output caught."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

from service_plugin_cli.main import main

MANIFEST = {"api": "1", "name": "Door Bell", "slug": "door-bell", "version": "0.2.0"}


class Outcome:
    """How a command ended."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err


def run(*arguments):
    """Run the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
    return Outcome(code, out.getvalue(), err.getvalue())


class InFolder(unittest.TestCase):
    """A test with a folder that is gone when it is over."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="service-plugin-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()

    def write(self, name, text=""):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(text, encoding="utf-8")
        return file

    def plugin(self, source="", manifest=None, **modules):
        """A plugin in the folder; further sources by their path below src, with `__` for a slash."""
        self.write("plugin.manifest.json", json.dumps(dict(MANIFEST, **(manifest or {}))))
        self.write("src/plugin.py", source)
        for name, text in modules.items():
            is_package = name.endswith("____init__")
            path = (name[: -len("__init__")] if is_package else name).replace("__", "/")
            self.write("src/%s.py" % (path + "__init__" if is_package else path), text)
        return self.folder

    def refused(self, *arguments):
        """The one line in which a command says why it does nothing."""
        outcome = run(*arguments)
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
        return outcome.err
