"""What type checkers that are not ours make of plugins: of the examples, of a new one, and of one that is all wrong."""

import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from .project import SDK, run

import pinned

EXAMPLES = SDK.parents[1] / "plugins"
WRONG = pathlib.Path(__file__).with_name("wrong.py")

# One process for all plugins: starting takes longer than most of them.
MYPY = """
import json, os, sys
from mypy import api
told = {}
for folder in sys.argv[2:]:
    os.chdir(folder)
    os.environ["MYPYPATH"] = os.pathsep.join([os.environ["SDK"], folder])
    names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    told[os.path.basename(folder)] = api.run(["--strict", "--no-color-output", "--cache-dir", sys.argv[1], *names])[0]
print(json.dumps(told))
"""


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="service-plugin-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name).resolve()
        for source in sorted(EXAMPLES.glob("*/src")):
            shutil.copytree(str(source), str(cls.folder / source.parent.name))
        (cls.folder / "template").mkdir()
        shutil.copy(str(SDK / "service_plugin_cli" / "templates" / "plugin.py"), str(cls.folder / "template"))
        (cls.folder / "wrong").mkdir()
        shutil.copy(str(WRONG), str(cls.folder / "wrong"))
        cls.names = sorted(path.name for path in cls.folder.iterdir())

    def mypy(self):
        """What it says, by plugin."""
        python = pinned.python_with(pinned.MYPY)
        # What it has learned of Python's own library is the same the next time.
        kept = pinned.cache() / ("mypy-%s" % pinned.MYPY.version)
        folders = [self.folder / name for name in self.names]
        code, said = run([python, "-c", MYPY, kept] + folders, self.folder, **dict(os.environ, SDK=str(SDK)))
        self.assertEqual(code, 0, said)
        return json.loads(said)

    def pyright(self):
        """The same."""
        places = [{"root": name, "extraPaths": [str(SDK), name]} for name in self.names]
        config = {"typeCheckingMode": "strict", "include": self.names, "executionEnvironments": places}
        (self.folder / "pyrightconfig.json").write_text(json.dumps(config))
        package = pinned.python_with(pinned.PYRIGHT).parents[1].glob("lib/python*/site-packages/pyright/dist/index.js")
        _, said = run(["node", next(package), "--outputjson"], self.folder)
        told = {name: "" for name in self.names}
        for one in json.loads(said)["generalDiagnostics"]:
            file = pathlib.Path(one["file"]).relative_to(self.folder)
            line, message = one["range"]["start"]["line"] + 1, one["message"].split("\n")[0]
            told[file.parts[0]] += "%s:%d: %s: %s\n" % (file.name, line, one["severity"], message)
        return told

    def judge(self, told):
        for name in self.names:
            if name != "wrong":
                with self.subTest(name):
                    self.assertNotIn("error:", told[name])
        lines = WRONG.read_text().splitlines()
        wanted = [number for number, line in enumerate(lines, 1) if line.endswith("# wrong")]
        found = {int(number) for number in re.findall(r"^wrong\.py:(\d+): error:", told["wrong"], re.M)}
        # A mistake in a decorator is told at the decorator or at the function below it.
        met = {number if number in wanted else number - 1 for number in found}
        self.assertEqual(sorted(met), wanted, told["wrong"])
        for number, line in enumerate(lines, 1):
            known = line.partition("# known: ")[2]
            if known:
                told_here = [one for one in told["wrong"].splitlines() if one.startswith("wrong.py:%d: " % number)]
                plain = " ".join(told_here).replace("builtins.", "").replace("service_plugin._shapes.", "")
                self.assertIn(known, plain)

    def test_mypy_takes_the_examples_and_a_new_plugin_strictly_and_finds_what_is_wrong(self):
        self.judge(self.mypy())

    def test_pyright_takes_the_examples_and_a_new_plugin_strictly_and_finds_what_is_wrong(self):
        self.judge(self.pyright())
