"""``test``, ``serve`` and ``package``: what is built, what the host is asked, and what comes out."""

import io
import os
import pathlib
import signal
import subprocess
import sys
import threading
import zipfile
from unittest import mock

from service_plugin_cli import host, main

from .cli import run
from .fakehost import WithHost

SDK = pathlib.Path(__file__).resolve().parents[1]


class Testing(WithHost):
    def setUp(self):
        super().setUp()
        self.plugin("x = 1")
        self.script = self.use_host()

    def test_the_plugin_is_built_and_the_host_plays_its_scenarios(self):
        outcome = run("test", self.folder)
        self.assertEqual((outcome.code, outcome.out), (0, "built door-bell.py\n"))
        self.assertEqual(self.calls(), ["%s plugin test %s" % (self.script, self.folder)])
        self.assertTrue((self.folder / "door-bell.py").is_file())

    def test_the_hosts_exit_code_is_the_answer(self):
        for code in (1, 2, 7):
            self.set(FAKE_CODE=code)
            self.assertEqual(run("test", self.folder).code, code)

    def test_a_plugin_that_cannot_be_built_is_not_tested(self):
        self.write("src/plugin.py", "def")
        self.refused("test", self.folder)
        self.assertEqual(self.calls(), [])

    def test_flags_the_host_knows_are_passed_on(self):
        run("test", "--load-only", "--filter", "a b", self.folder)
        self.assertEqual(self.calls(), ["%s plugin test --load-only --filter=a b %s" % (self.script, self.folder)])

    def test_a_value_may_begin_with_a_dash(self):
        run("test", "--filter=-x", self.folder)
        self.assertEqual(self.calls(), ["%s plugin test --filter=-x %s" % (self.script, self.folder)])

    def test_all_flags_of_test_reach_a_host_that_knows_them(self):
        self.set(FAKE_HELP="--junit <FILE> -j, --jobs <N> --watch")
        run("test", "--filter", "x", "--junit", "out.xml", "--jobs", "3", "--watch", self.folder)
        said = "%s plugin test --filter=x --junit=out.xml --jobs=3 --watch %s" % (self.script, self.folder)
        self.assertEqual(self.calls(), [said])

    def test_a_source_that_changes_is_built_again_while_scenarios_are_watched(self):
        built = self.folder / "door-bell.py"
        self.set(FAKE_HELP="--watch", FAKE_WAITS_FOR="x = 22", FAKE_FILE=built)
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(run("test", "--watch", self.folder)))
        thread.start()
        self.until(lambda: self.calls())
        self.write("src/plugin.py", "x = 22")
        thread.join(30)
        self.assertEqual([outcome.code for outcome in outcomes], [0])

    def test_ctrl_c_ends_watching_with_the_code_of_the_host(self):
        self.set(FAKE_HELP="--watch", FAKE_WAITS_FOR="never", FAKE_FILE=self.folder / "nothing", PYTHONPATH=SDK)
        self.set(FAKE_CODE_OF_CTRL_C=7)
        command = [sys.executable, "-m", "service_plugin_cli", "test", "--watch", str(self.folder)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            # Who runs the tests in the background of a shell has it ignored, and so would everybody below.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.addCleanup(process.kill)
        self.until(lambda: self.calls())
        self.write("src/plugin.py", "x = 22")
        self.until(lambda: "x = 22" in (self.folder / "door-bell.py").read_text())
        # As a terminal does it: everybody in the foreground is told.
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(30), 7)

    def test_whatever_goes_wrong_while_watching_the_host_does_not_stay_behind(self):
        self.set(FAKE_HELP="--watch", FAKE_WAITS_FOR="never", FAKE_FILE=self.folder / "nothing")
        started = []

        def start(*_):
            started.append(subprocess.Popen([str(self.script)]))
            return started[-1]

        # A folder is away for a moment, which ends nothing. Then a source has changed.
        stamps = [(), FileNotFoundError(), (("a", 1, 1),)]
        beside = mock.patch.object(host.Host, "start", start)
        seen = mock.patch.object(main.Project, "stamp", side_effect=stamps)
        wrong = mock.patch.object(main, "_build_again", side_effect=ZeroDivisionError)
        with beside, seen, wrong:
            self.assertRaises(ZeroDivisionError, run, "test", "--watch", self.folder)
        self.assertEqual([process.returncode for process in started], [-signal.SIGTERM])

    def test_flags_it_does_not_know_are_refused_by_name(self):
        for flag in (["--watch"], ["--junit", "out.xml"], ["--jobs", "2"]):
            outcome = run("test", self.folder, *flag)
            self.assertEqual(outcome.code, 1)
            self.assertIn("does not know %s" % flag[0], outcome.err)
        self.assertEqual(run("test", "--dance", self.folder).code, 2)
        self.assertEqual(self.calls(), [])


class Serving(WithHost):
    def setUp(self):
        super().setUp()
        self.plugin("x = 1")
        self.script = self.use_host()

    def test_the_plugin_is_built_and_served_at_the_usual_port(self):
        self.assertEqual(run("serve", self.folder).code, 0)
        self.assertEqual(self.calls(), ["%s plugin serve %s --port 8080" % (self.script, self.folder)])

    def test_another_port_can_be_given(self):
        run("serve", "-p", "9000", self.folder)
        run("serve", self.folder, "--port", "9001")
        self.assertEqual([call.split()[-1] for call in self.calls()], ["9000", "9001"])
        for bad in ["x", "-1", "65536"]:
            self.assertEqual(run("serve", "--port=" + bad, self.folder).code, 2)

    def test_a_tool_of_its_own_name_is_told_the_port_by_the_environment(self):
        tool = self.host("tools/service-plugin-serve")
        self.set(SERVICE_PLUGIN_HOST=tool)
        run("serve", "-p", "9000", self.folder)
        self.assertEqual(self.calls(), ["%s %s" % (tool, self.folder)])
        self.assertIn("port=9000", self.calls_file.read_text())

    def test_the_hosts_exit_code_is_the_answer(self):
        self.set(FAKE_CODE=2)
        self.assertEqual(run("serve", self.folder).code, 2)

    def test_a_source_that_changes_is_built_again_while_it_is_served(self):
        built = self.folder / "door-bell.py"
        self.set(FAKE_WAITS_FOR="x = 22", FAKE_FILE=built)
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(run("serve", self.folder)))
        thread.start()
        self.until(lambda: self.calls())
        # A mistake in between ends nothing.
        self.write("src/plugin.py", "def")
        self.write("src/words.py", "x = 22")
        self.write("src/plugin.py", "import words")
        thread.join(30)
        self.assertEqual([outcome.code for outcome in outcomes], [0])

    def test_ending_the_command_ends_the_host(self):
        self.set(FAKE_WAITS_FOR="never", FAKE_FILE=self.folder / "nothing", PYTHONPATH=SDK)
        command = [sys.executable, "-m", "service_plugin_cli", "serve", str(self.folder)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        self.until(lambda: self.calls())
        process.terminate()
        self.assertEqual(process.wait(30), 128 + signal.SIGTERM)


class Packaging(WithHost):
    def setUp(self):
        super().setUp()
        asks = {"permissions": ["chat.send", "network.fetch"], "network": {"allowedHosts": ["e.example"]}}
        self.plugin("x = 1", asks)
        self.script = self.use_host()
        self.package = self.folder / "door-bell.ocpkg"

    def names(self):
        with zipfile.ZipFile(str(self.package)) as archive:
            return archive.namelist()

    def test_a_package_is_made_after_the_host_has_loaded_the_plugin(self):
        outcome = run("package", self.folder)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertEqual(self.calls(), ["%s plugin test --load-only %s" % (self.script, self.folder)])
        self.assertEqual(self.names(), ["plugin.manifest.json", "plugin.py"])

    def test_a_plugin_that_does_not_load_is_not_packaged(self):
        self.set(FAKE_CODE=1)
        outcome = run("package", self.folder)
        self.assertEqual(outcome.code, 1)
        self.assertIn("the host does not load the plugin", outcome.err)
        self.assertFalse(self.package.exists())

    def test_the_file_in_between_is_deleted(self):
        run("package", self.folder)
        self.assertFalse((self.folder / "door-bell.py").exists())
        self.set(FAKE_CODE=1)
        run("package", self.folder)
        self.assertFalse((self.folder / "door-bell.py").exists())

    def test_everything_that_belongs_to_it_goes_in_and_nothing_else(self):
        self.write("icon.png", b"\x89PNG")
        self.write("INSTRUCTIONS.md", "read me")
        self.write("README.md", "not me")
        self.write("public/index.html", "<p>")
        self.write("public/deep/er/x.js", "1")
        self.write("public/.DS_Store", "litter")
        self.write("assets/theme.css", "a{}")
        self.write("__tests__/a.test.json", "[]")
        self.assertEqual(run("package", self.folder).code, 0)
        wanted = ["INSTRUCTIONS.md", "assets/theme.css", "icon.png", "plugin.manifest.json", "plugin.py"]
        self.assertEqual(self.names(), wanted + ["public/deep/er/x.js", "public/index.html"])

    def test_the_manifest_is_shipped_as_it_is(self):
        file = self.folder / "plugin.manifest.json"
        text = self.write(file.name, file.read_text() + "\n\n").read_bytes()
        run("package", self.folder)
        with zipfile.ZipFile(str(self.package)) as archive:
            self.assertEqual(archive.read("plugin.manifest.json"), text)

    def test_the_same_input_makes_the_same_bytes(self):
        self.write("public/b.txt", "b")
        self.write("public/a.txt", "a").chmod(0o600)
        run("package", self.folder)
        first = self.package.read_bytes()
        for path in self.folder.rglob("*"):
            os.utime(str(path), (1700000000, 1700000000))
        (self.folder / "public/a.txt").chmod(0o755)
        (self.folder / "public/b.txt").rename(self.folder / "public/c.txt")
        self.write("public/b.txt", "b")
        (self.folder / "public/c.txt").unlink()
        self.package.unlink()
        run("package", self.folder)
        self.assertEqual(self.package.read_bytes(), first)

    def test_entries_are_sorted_compressed_and_carry_neither_time_nor_permissions_of_the_author(self):
        self.write("public/a.txt", "a" * 1000).chmod(0o777)
        run("package", self.folder)
        with zipfile.ZipFile(str(self.package)) as archive:
            entries = archive.infolist()
        self.assertEqual([entry.filename for entry in entries], sorted(entry.filename for entry in entries))
        for entry in entries:
            self.assertEqual(entry.date_time, (1980, 1, 1, 0, 0, 0))
            self.assertEqual(entry.external_attr >> 16, 0o100644)
            self.assertEqual(entry.compress_type, zipfile.ZIP_DEFLATED)

    def test_what_is_inside_and_what_it_asks_for_is_told(self):
        out = run("package", self.folder).out
        size = self.package.stat().st_size
        self.assertIn("packaged door-bell.ocpkg: %.1f KB, 2 files\n" % (size / 1024), out)
        for said in ["plugin.manifest.json", "plugin.py", "5 bytes", "chat.send ", "write in", "hosts: e.example"]:
            self.assertIn(said, out)

    def test_a_plugin_that_asks_for_nothing_is_told_so(self):
        self.plugin("x = 1")
        self.assertIn("it asks for no permissions", run("package", self.folder).out)

    def test_files_the_manifest_names_and_that_are_not_there_are_warned_of(self):
        self.plugin("", {"permissions": ["ui.modify"], "styles": ["theme.css"], "category": "odd"})
        err = run("package", self.folder).err
        self.assertIn("warning: the manifest names assets/theme.css, which is not there", err)
        self.assertIn('category: "odd" is not a known category', err)

    def test_a_link_is_refused_by_name(self):
        self.write("public/a.txt")
        os.symlink("/etc/hostname", str(self.folder / "public/secret"))
        self.assertIn("public/secret is a link", self.refused("package", self.folder))
        self.assertFalse((self.folder / "door-bell.py").exists())

    def test_what_a_server_would_refuse_is_refused_here(self):
        self.write("icon.png", b"\0" * (4 * 1024 * 1024 + 1))
        self.assertIn("icon.png is larger than 4 MiB", self.refused("package", self.folder))
        (self.folder / "icon.png").unlink()
        self.write("public/a\\b", "x")
        self.assertIn("backslash", self.refused("package", self.folder))

    def test_an_older_package_is_replaced_only_by_a_whole_one(self):
        self.package.write_bytes(b"older")
        self.set(FAKE_CODE=1)
        run("package", self.folder)
        self.assertEqual(self.package.read_bytes(), b"older")
        self.set(FAKE_CODE=0)
        run("package", self.folder)
        zipfile.ZipFile(io.BytesIO(self.package.read_bytes())).testzip()
