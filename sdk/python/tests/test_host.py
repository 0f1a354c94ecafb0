"""Where the host comes from."""

import contextlib
import gzip
import io
import os
import pathlib
import platform
import socket
import unittest
from unittest import mock

from service_plugin_cli import host, releases
from service_plugin_cli.problem import Problem

from .fakehost import Release, WithHost


class Quiet(WithHost):
    def find(self, command="test"):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            try:
                return host.find(command)
            finally:
                self.told = told.getvalue()

    def why_not(self, command="test"):
        with self.assertRaises(Problem) as caught:
            self.find(command)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)


class LookingUp(Quiet):
    def test_the_file_that_is_named_goes_before_everything(self):
        named = self.host("named/rillcast")
        self.host("folder/rillcast")
        self.set(SERVICE_PLUGIN_HOST=named, SERVICE_PLUGIN_HOST_BIN_DIR=self.folder / "folder")
        self.assertEqual(self.find().path, named)

    def test_a_named_file_that_is_not_there_is_a_mistake(self):
        self.set(SERVICE_PLUGIN_HOST=self.folder / "gone")
        self.assertIn("SERVICE_PLUGIN_HOST is", self.why_not())

    def test_a_named_file_that_cannot_be_run_is_a_mistake(self):
        self.set(SERVICE_PLUGIN_HOST=self.write("rillcast", "text"))
        self.assertIn("chmod +x", self.why_not())

    def test_then_comes_the_folder_that_is_named(self):
        wanted = self.host("folder/rillcast")
        self.host("path/rillcast")
        self.set(SERVICE_PLUGIN_HOST_BIN_DIR=self.folder / "folder", PATH=self.folder / "path")
        self.assertEqual(self.find().path, wanted)

    def test_a_folder_may_be_laid_out_for_other_sdks(self):
        test, serve = self.host("folder/service-plugin-test"), self.host("folder/service-plugin-serve")
        self.set(SERVICE_PLUGIN_HOST_BIN_DIR=self.folder / "folder")
        self.assertEqual((self.find("test").path, self.find("serve").path), (test, serve))
        self.find("test").run(["--load-only", "."])
        self.find("serve").run(["."])
        self.assertEqual(self.calls(), ["%s --load-only ." % test, "%s ." % serve])

    def test_a_folder_with_neither_is_a_mistake(self):
        self.set(SERVICE_PLUGIN_HOST_BIN_DIR=self.folder)
        self.assertIn("neither rillcast nor service-plugin-serve", self.why_not("serve"))

    def test_a_named_tool_stands_for_its_sibling(self):
        self.set(SERVICE_PLUGIN_HOST=self.host("service-plugin-test"))
        self.assertIn("cannot serve", self.why_not("serve"))
        serve = self.host("service-plugin-serve")
        self.assertEqual(self.find("serve").path, serve)

    def test_then_comes_the_path(self):
        wanted = self.host("path/rillcast")
        self.host("cache/host/0.3.0/rillcast")
        self.set(PATH="%s:/usr/bin:/bin" % (self.folder / "path"))
        self.assertEqual(self.find().path, wanted)
        wanted.unlink()
        tool = self.host("path/service-plugin-test")
        self.assertEqual(self.find().path, tool)

    def test_then_comes_what_the_servers_sources_have_built(self):
        self.host("cache/host/0.3.0/rillcast")
        program = self.host("sources/target/rillcast")
        link = self.folder / "caches/rillcast/bin/rillcast"
        link.parent.mkdir(parents=True)
        link.symlink_to(program)
        self.assertEqual(self.find().path, link)
        self.host("path/rillcast")
        self.set(PATH="%s:/usr/bin:/bin" % (self.folder / "path"))
        self.assertEqual(self.find().path, self.folder / "path/rillcast")

    def test_a_link_to_what_is_gone_is_passed_over(self):
        link = self.folder / "caches/rillcast/bin/rillcast"
        link.parent.mkdir(parents=True)
        link.symlink_to(self.folder / "gone")
        kept = self.host("cache/host/0.3.0/rillcast")
        self.assertEqual(self.find().path, kept)

    def test_make_build_leaves_it_where_it_is_looked_for(self):
        del os.environ["XDG_CACHE_HOME"]
        self.set(HOME=self.folder)
        self.assertEqual(host.built(), self.folder / ".cache/rillcast/bin/rillcast")
        makefile = (pathlib.Path(__file__).resolve().parents[3] / "Makefile").read_text()
        self.assertIn("HOST_FOLDER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rillcast/bin\n", makefile)
        self.assertIn('ln -sfn "$(CURDIR)/rillcast" "$(HOST_FOLDER)/rillcast"\n', makefile)

    def test_then_comes_what_was_fetched_before(self):
        kept = self.host("cache/host/0.3.0/rillcast")
        self.assertEqual(self.find().path, kept)

    def test_the_usual_cache_is_one_of_the_user(self):
        del os.environ[host.CACHE]
        self.set(HOME=self.folder, XDG_CACHE_HOME=self.folder / "xdg")
        with mock.patch("sys.platform", "linux"):
            self.assertEqual(host.cache(), self.folder / "xdg/service-plugin")
        with mock.patch("sys.platform", "darwin"):
            self.assertEqual(host.cache(), self.folder / "Library/Caches/service-plugin")

    def test_a_host_that_is_older_than_the_sdk_is_refused(self):
        self.use_host()
        self.set(FAKE_VERSION="0.2.9")
        self.assertIn("is version 0.2.9, and this SDK needs 0.3.0 or newer", self.why_not())
        self.set(FAKE_VERSION="0.10.0")
        self.find()
        self.set(FAKE_VERSION="unknown")
        self.find()


class Fetching(Quiet):
    def release(self, **given):
        release = Release(self, **given)
        self.set(SERVICE_PLUGIN_RELEASES=release.address)
        return release

    def test_a_host_is_fetched_once_and_kept(self):
        release = self.release()
        found = self.find()
        self.assertEqual(found.path, self.folder / "cache/host/0.3.0/rillcast")
        self.assertIn("fetching the host", self.told)
        self.assertEqual(found.run(["x"]), 0)
        self.assertEqual(len(release.asked), 2)
        self.assertEqual(self.find().path, found.path)
        self.assertEqual(len(release.asked), 2)
        self.assertEqual(os.listdir(str(found.path.parent)), ["rillcast"])

    def test_another_version_can_be_asked_for(self):
        self.release(version="0.4.1")
        self.set(SERVICE_PLUGIN_HOST_BINARIES_VERSION="v0.4.1")
        self.assertEqual(self.find().path.parent.name, "0.4.1")
        self.set(SERVICE_PLUGIN_HOST_BINARIES_VERSION="../../x")
        self.assertIn("no version such as 0.3.0", self.why_not())

    def test_a_wrong_checksum_keeps_nothing(self):
        release = self.release()
        release.put("v0.3.0/" + releases.asset(), gzip.compress(b"#!/bin/sh\necho other\n"))
        self.assertIn("checksum", self.why_not())
        self.assertFalse((self.folder / "cache/host/0.3.0/rillcast").exists())
        self.assertEqual(os.listdir(str(self.folder / "cache/host/0.3.0")), [])

    def test_a_damaged_archive_keeps_nothing(self):
        release = self.release()
        for packed in [b"no gzip", gzip.compress(b"x" * 1000)[:-9]]:
            release.put("v0.3.0/" + releases.asset(), packed)
            release.put("v0.3.0/SHA256SUMS", release.sums(packed))
            self.assertIn("damaged", self.why_not())
        self.assertEqual(os.listdir(str(self.folder / "cache/host/0.3.0")), [])

    def test_a_machine_that_is_not_listed_is_told_so(self):
        release = self.release()
        release.put("v0.3.0/SHA256SUMS", release.sums(b"", "rillcast-plan9-vax.gz"))
        self.assertIn("does not list rillcast-", self.why_not())

    def test_a_release_that_is_not_there_names_what_can_be_set(self):
        self.release(version="0.9.9")
        said = self.why_not()
        for name in ["SHA256SUMS", "SERVICE_PLUGIN_HOST ", "SERVICE_PLUGIN_HOST_BIN_DIR", "BINARIES_VERSION"]:
            self.assertIn(name, said)

    def test_who_is_offline_is_told_what_to_do(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = "http://127.0.0.1:%d" % taken.getsockname()[1]
            self.set(SERVICE_PLUGIN_RELEASES=address)
            said = self.why_not()
        for part in [address, "offline", "SERVICE_PLUGIN_HOST ", "SERVICE_PLUGIN_HOST_BIN_DIR"]:
            self.assertIn(part, said)

    def test_without_an_address_there_is_nothing_to_fetch(self):
        said = self.why_not()
        for part in ["no host was found", "SERVICE_PLUGIN_HOST ", "SERVICE_PLUGIN_RELEASES"]:
            self.assertIn(part, said)

    def test_without_a_host_the_places_that_were_looked_into_are_named(self):
        said = self.why_not()
        for part in [
            "neither SERVICE_PLUGIN_HOST nor SERVICE_PLUGIN_HOST_BIN_DIR is set",
            "neither rillcast nor service-plugin-test on the PATH (/usr/bin, /bin)",
            str(self.folder / "caches/rillcast/bin/rillcast"),
            str(self.folder / "cache/host/0.3.0/rillcast"),
            "run `make build` in the server's sources",
        ]:
            self.assertIn(part, said)

    def test_what_is_run_is_not_fetched_over_an_open_line(self):
        for address in ["http://releases.example", "ftp://releases.example", "file:///etc", "releases"]:
            self.set(SERVICE_PLUGIN_RELEASES=address)
            self.assertIn("must begin with https://", self.why_not())

    def test_a_kind_of_machine_without_a_host_is_named(self):
        self.set(SERVICE_PLUGIN_RELEASES="https://releases.example")
        with mock.patch.object(platform, "system", return_value="Windows"):
            self.assertIn("no prebuilt host for Windows on", self.why_not())
        with mock.patch.object(platform, "machine", return_value="sparc"):
            self.assertIn("on sparc", self.why_not())

    def test_names_of_files_are_the_same_wherever_machines_are_named_differently(self):
        for system, machine, name in [
            ("Linux", "x86_64", "rillcast-linux-x86_64.gz"),
            ("Linux", "aarch64", "rillcast-linux-arm64.gz"),
            ("Darwin", "arm64", "rillcast-macos-arm64.gz"),
        ]:
            with mock.patch.object(platform, "system", return_value=system):
                with mock.patch.object(platform, "machine", return_value=machine):
                    self.assertEqual(releases.asset(), name)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Progress(unittest.TestCase):
    def shown(self, stream, total):
        with contextlib.redirect_stderr(stream):
            bar = releases.Bar(total)
            for done in (0, 500000, 1000000):
                bar.show(done)
            bar.end()
        return stream.getvalue()

    def test_on_a_terminal_a_bar_grows(self):
        told = self.shown(Terminal(), "1000000").split("\r")
        self.assertIn("  0 %", told[1])
        self.assertIn(" 50 %  0.5 MB", told[2])
        self.assertNotIn(".]", told[3])
        self.assertTrue(told[3].endswith("\n"))

    def test_without_a_length_the_amount_is_shown(self):
        self.assertIn("\r0.5 MB", self.shown(Terminal(), None))

    def test_elsewhere_nothing_is_drawn(self):
        self.assertEqual(self.shown(io.StringIO(), "1000000"), "")
