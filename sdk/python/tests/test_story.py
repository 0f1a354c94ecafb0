"""The whole way of a plugin with the real host: begun, tested, changed, packaged.

It is told only where SERVICE_PLUGIN_HOST names a `rillcast`; one that cargo built alone also needs to be told of an
engine (`python3 scripts/engine.py build` as RILLCAST_PLUGIN_ENGINE).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import unittest
import urllib.request
import zipfile

from .cli import InFolder

SDK = pathlib.Path(__file__).resolve().parents[1]
PLUGINS = SDK.parents[1] / "plugins"

SECONDS = 300


@unittest.skipUnless(os.environ.get("SERVICE_PLUGIN_HOST"), "SERVICE_PLUGIN_HOST names no host")
class Story(InFolder):
    def command(self, *arguments, folder=None):
        """The command as a shell would run it: its exit code and all it said."""
        environment = dict(os.environ, PYTHONPATH=str(SDK))
        told = subprocess.run(
            [sys.executable, "-m", "service_plugin_cli"] + [str(argument) for argument in arguments],
            cwd=str(folder or self.folder),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
        return told.returncode, told.stdout.decode()

    def test_a_plugin_passes_its_own_tests_from_the_first_moment_and_fails_them_when_it_is_broken(self):
        self.assertEqual(self.command("new", "door-bell")[0], 0)
        project = self.folder / "door-bell"
        code, said = self.command("test", folder=project)
        self.assertEqual(code, 0, said)
        self.assertIn("2/2 passed", said)

        source = project / "src/plugin.py"
        source.write_text(source.read_text().replace("Hello", "Goodbye"))
        code, said = self.command("test", folder=project)
        self.assertEqual(code, 1, said)
        self.assertIn("FAIL  plugin.test.json :: whoever says hi is greeted by name", said)

        (project / "src/words.py").write_text("HELLO = 'Hello'\n")
        source.write_text("from words import HELLO\n" + source.read_text().replace('"Goodbye, %s!"', 'HELLO + ", %s!"'))
        code, said = self.command("test", "door-bell")
        self.assertEqual(code, 0, said)
        self.assertIn("built door-bell.py (1 module bundled)", said)

        code, said = self.command("package", folder=project)
        self.assertEqual(code, 0, said)
        first = (project / "door-bell.ocpkg").read_bytes()
        self.assertEqual(self.command("package", project)[0], 0)
        self.assertEqual((project / "door-bell.ocpkg").read_bytes(), first)
        with zipfile.ZipFile(str(project / "door-bell.ocpkg")) as archive:
            self.assertEqual(archive.namelist(), ["INSTRUCTIONS.md", "plugin.manifest.json", "plugin.py"])

    def test_a_plugin_that_does_not_load_is_not_packaged_and_its_own_lines_are_shown(self):
        self.plugin("import words\n", words="# first\nraise ValueError('so it is')\n")
        code, said = self.command("package")
        self.assertEqual(code, 1)
        self.assertIn('File "src/words.py", line 2', said)
        self.assertIn("so it is", said)
        self.assertFalse((self.folder / "door-bell.ocpkg").exists())

    def test_a_filter_without_its_permission_is_not_packaged(self):
        self.plugin("from service_plugin import plugin\n\n@plugin.filter_chat_message\ndef judge(msg): pass\n")
        code, said = self.command("package")
        self.assertEqual(code, 1)
        self.assertIn("chat.filter", said)

    def test_bad_json_in_a_scenario_is_told_by_its_file_and_line(self):
        self.plugin("")
        self.write("__tests__/good.test.json", '[{"name": "nothing happens"}]')
        self.write("__tests__/bad.test.json", '[\n  {"name": "x",}\n]\n')
        code, said = self.command("test")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"FAIL +bad\.test\.json\b")
        self.assertIn("line 2 column 16", said)
        self.assertIn("1/2 passed", said)

    def test_a_plugin_is_served_and_loaded_again_when_its_sources_change(self):
        host = os.environ["SERVICE_PLUGIN_HOST"]
        if subprocess.run(
            [host, "plugin", "serve", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ).returncode:
            self.skipTest("this host has no development server")
        self.assertEqual(self.command("new", "door-bell")[0], 0)
        source = self.folder / "door-bell/src/plugin.py"
        command = [sys.executable, "-m", "service_plugin_cli", "serve", "door-bell", "--port", "0"]
        environment = dict(os.environ, PYTHONPATH=str(SDK))
        out = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=str(self.folder), env=environment, **out) as process:
            self.addCleanup(process.kill)
            address = None
            while address is None:
                line = process.stdout.readline().decode()
                self.assertTrue(line, "the host ended before it said where it is")
                address = re.search(r"http://127\.0\.0\.1:\d+", line)
            self.assertEqual(self.answers(address.group(), "hi")[-1], "Hello, mira!")
            source.write_text(source.read_text().replace("Hello", "Welcome"))
            for _ in range(SECONDS * 5):
                if self.answers(address.group(), "hi")[-1] == "Welcome, mira!":
                    break
                threading.Event().wait(0.2)
            else:
                self.fail("it was never loaded again")
            process.terminate()

    def answers(self, address, body):
        """All that was said in chat once somebody has said this."""
        said = json.dumps({"user": "mira", "body": body}).encode()
        for data in (said, None):
            with urllib.request.urlopen(address + "/_dev/chat", data, timeout=SECONDS) as answer:
                told = json.loads(answer.read().decode())
        return [message["body"] for message in told["messages"]]

    def test_every_example_passes_its_tests_and_can_be_packaged(self):
        folders = sorted(path.parent for path in PLUGINS.glob("*/plugin.manifest.json"))
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder.name):
                copy = self.folder / folder.name
                shutil.copytree(str(folder), str(copy))
                code, said = self.command("test", copy)
                self.assertEqual(code, 0, said)
                code, said = self.command("package", copy)
                self.assertEqual(code, 0, said)
                self.assertNotIn("warning", said)
