"""What `make dist` packs: the same bytes twice, a package that Debian's own tool reads, and nothing left out."""

import hashlib
import io
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "deploy"), str(ROOT / "sdk" / "python")]

import archive
import components
import deb
import dist
import layout
import licences
import sbom
from service_plugin_cli import releases

WHEN = 1_700_000_000
RELEASE = ("1.2.3", "x86_64", WHEN)
NEEDS = ["adduser", "libc6 (>= 2.34)"]


def content():
    manual = {name: b"made by clap" for name in ("rillcast.1", "rillcast-backup.1", *layout.COMPLETIONS)}
    return layout.Content(b"the program", manual, {"THIRD-PARTY-LICENCES": b"texts", "rillcast.cdx.json": b"{}"})


def packages():
    return dist.packages(content(), b"lines", NEEDS, RELEASE)


def members(packed):
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        return {member.name: member for member in opened.getmembers()}


class Archives(unittest.TestCase):
    def test_two_runs_give_the_same_bytes(self):
        one = packages()
        with unittest.mock.patch("time.time", return_value=WHEN + 1000):
            self.assertEqual(one, packages())

    def test_the_order_of_files_does_not_count(self):
        entries = [archive.Entry(name, name.encode()) for name in ("b", "a/c", "a/b")]
        self.assertEqual(archive.tar(entries, WHEN), archive.tar(entries[::-1], WHEN))

    def test_members_have_folders_before_them_and_belong_to_root(self):
        found = members(archive.tar([archive.Entry("a/b/c", b"x", 0o755)], WHEN, "top"))
        self.assertEqual(list(found), ["top", "top/a", "top/a/b", "top/a/b/c"])
        for member in found.values():
            self.assertEqual((member.uid, member.gid, member.uname, member.mtime), (0, 0, "root", WHEN))
        self.assertEqual([member.mode for member in found.values()], [0o755] * 4)

    def test_two_files_of_one_name_are_refused(self):
        with self.assertRaises(ValueError):
            archive.tar([archive.Entry("a", b"1"), archive.Entry("a", b"2")], WHEN)

    def test_gzip_notes_neither_name_nor_time(self):
        self.assertEqual(archive.gzipped(b"x")[:8], b"\x1f\x8b\x08\x00\x00\x00\x00\x00")


class Names(unittest.TestCase):
    def test_the_files_are_called_after_version_and_machine(self):
        expected = [
            "rillcast-1.2.3-linux-x86_64-debug.tar.xz",
            "rillcast-1.2.3-linux-x86_64.tar.xz",
            "rillcast-linux-x86_64.gz",
            "rillcast_1.2.3-1_amd64.deb",
        ]
        self.assertEqual(sorted(packages()), expected)

    def test_the_plugin_sdk_finds_the_program_of_every_machine(self):
        for machine in deb.ARCHITECTURES:
            with unittest.mock.patch.multiple(
                platform, machine=lambda name=machine: name, system=lambda: "Linux"
            ):
                self.assertEqual(releases.asset(), layout.host_name(machine))

    def test_sums_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch("builtins.print"):
            folder = pathlib.Path(folder)
            dist.write({"b": b"2", "a": b"1"}, folder)
            lines = (folder / "SHA256SUMS").read_text().splitlines()
        self.assertEqual(lines, [f"{hashlib.sha256(c).hexdigest()}  {n}" for n, c in (("a", b"1"), ("b", b"2"))])


class Layout(unittest.TestCase):
    def test_the_tarball_has_everything_that_was_made(self):
        names = {entry.name for entry in layout.tarball(content())}
        made = {"rillcast", "man/rillcast.1", "man/rillcast-backup.1", "completions/_rillcast", "rillcast.cdx.json"}
        tree = {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENCES", "rillcast.service", "rillcast.toml"}
        self.assertLessEqual(made | tree, names)

    def test_the_program_can_be_run_and_nothing_else(self):
        for entries in (layout.tarball(content()), layout.debian(content(), b"")):
            runnable = [entry.name.split("/")[-1] for entry in entries if entry.mode != 0o644]
            self.assertEqual(runnable, ["rillcast"])

    def test_the_unit_uses_the_file_that_the_package_brings(self):
        unit = (ROOT / "deploy/rillcast.service").read_text()
        given = re.search(r"^ExecStart=rillcast --config /(\S+)$", unit, re.M).group(1)
        self.assertEqual((given,), layout.CONFFILES)
        self.assertIn(given, {entry.name for entry in layout.debian(content(), b"")})

    def test_the_unit_lets_the_engine_of_plugins_be_mapped(self):
        unit = (ROOT / "deploy/rillcast.service").read_text()
        self.assertIsNone(re.search(r"^(MemoryDenyWriteExecute|NoExecPaths|ProcSubset)=", unit, re.M))

    def test_the_configuration_says_nothing_but_where_the_data_is(self):
        lines = (ROOT / "deploy/rillcast.toml").read_text().splitlines()
        said = [line for line in lines if line and not line.startswith("#")]
        self.assertEqual(said, ['data_dir = "/var/lib/rillcast"'])

    def test_the_guide_names_the_files_that_there_are(self):
        guide = (ROOT / "docs/operations.md").read_text()
        named = set(re.findall(r"\(\.\./(deploy/[\w./-]+)\)", guide))
        self.assertIn("deploy/rillcast.service", named)
        self.assertEqual([path for path in sorted(named) if not (ROOT / path).is_file()], [])


class Container(unittest.TestCase):
    def setUp(self):
        self.recipe = (ROOT / "deploy/Dockerfile").read_text()

    def test_it_is_built_with_the_compiler_of_the_tree(self):
        channel = re.search(r'^channel = "(.+)"$', (ROOT / "rust-toolchain.toml").read_text(), re.M).group(1)
        self.assertIn(f"\nFROM rust:{channel}-bookworm AS build\n", self.recipe)

    def test_what_it_copies_is_in_the_tarball(self):
        copied = re.findall(r"/unpacked/([\w.-]+)", self.recipe)
        self.assertIn("rillcast", copied)
        self.assertLessEqual(set(copied), {entry.name for entry in layout.tarball(content())})

    def test_it_runs_without_root_and_asks_itself_how_it_is(self):
        self.assertRegex(self.recipe, r"\nUSER 10001:10001\n")
        check = 'CMD ["rillcast", "health"]'
        self.assertIn(check, self.recipe)
        compose = (ROOT / "deploy/compose.yaml").read_text()
        self.assertIn('test: ["CMD", "rillcast", "health"]', compose)
        self.assertIn("read_only: true", compose)

    def test_podman_is_told_a_format_that_keeps_the_health_check(self):
        for name in ("deploy/Dockerfile", "docs/operations.md"):
            lines = [line for line in (ROOT / name).read_text().splitlines() if "podman build" in line]
            self.assertTrue(lines, name)
            self.assertEqual([line for line in lines if "--format docker" not in line], [], name)


class Machines(unittest.TestCase):
    """What deploy/ has for several machines; the end-to-end tests run HAProxy, nginx and Varnish with it."""

    def setUp(self):
        self.compose = (ROOT / "deploy/cluster.compose.yaml").read_text()

    def haproxy_in_compose(self):
        block = re.search(r"^    content: \|\n((?:      .*\n|\n)+)", self.compose, re.M).group(1)
        return "".join(line.removeprefix("      ") for line in block.splitlines(True))

    def test_every_option_it_sets_is_one_of_the_server(self):
        table = (ROOT / "crates/server/src/config/options.rs").read_text()
        known = {f"RILLCAST_{key.upper()}" for key in re.findall(r'(?:plain|secret)\("(\w+)"\)', table)}
        known |= set(re.findall(r"`(RILLCAST_\w+)`", (ROOT / "docs/settings.md").read_text()))
        named = set(re.findall(r"RILLCAST_\w+", self.compose))
        self.assertLessEqual({"RILLCAST_CLUSTER", "RILLCAST_NATS", "RILLCAST_DATABASE_URL"}, named)
        self.assertEqual(named - known, set())
        flags = (ROOT / "crates/server/src/cli/options.rs").read_text()
        script = (ROOT / "scripts/cluster.py").read_text()
        for flag in re.findall(r'"--([a-z-]+)"', script[: script.index("argparse.ArgumentParser(")]):
            self.assertRegex(flags, rf"\bpub {flag.replace('-', '_')}: ", flag)

    def test_both_machines_are_one_server_and_neither_is_root(self):
        for name in ("left", "right"):
            machine = re.search(rf"^  {name}:\n((?:    .*\n|\n)+)", self.compose, re.M).group(1)
            for line in ("<<: *machine", "<<: *environment", f"RILLCAST_NODE_NAME: {name}"):
                self.assertIn(line, machine)
        for line in ("read_only: true", "no-new-privileges:true", 'test: ["CMD", "rillcast", "health"]'):
            self.assertIn(line, self.compose)

    def test_every_image_has_a_version(self):
        images = re.findall(r"^ +image: (\S+)$", self.compose, re.M)
        self.assertIn("rillcast", images)
        self.assertEqual([name for name in images if name != "rillcast" and not re.search(r":v?\d", name)], [])

    def test_it_is_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is missing")
        services = yaml.safe_load(self.compose)["services"]
        self.assertEqual(set(services), {"left", "right", "postgres", "nats", "s3", "haproxy"})
        for service in services.values():
            self.assertLessEqual(set(service.get("depends_on", {})), set(services))
        self.assertEqual(services["right"]["environment"]["RILLCAST_NATS"], "nats://nats:4222")

    def test_haproxy_understands_it_without_a_warning(self):
        haproxy = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if haproxy is None:
            self.skipTest("HAProxy is missing")
        certificate = " ssl crt /etc/haproxy/live.example.org.pem alpn h2,http/1.1"
        between_machines = (ROOT / "deploy/haproxy-cluster.cfg").read_text()
        self.assertIn(certificate, between_machines)
        for text in (between_machines.replace(certificate, ""), self.haproxy_in_compose()):
            with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
                file.write(text)
                file.flush()
                said = subprocess.run([haproxy, "-c", "-f", file.name], capture_output=True, text=True)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertNotIn("WARNING", said.stderr)

    def test_the_guide_names_the_files_that_there_are(self):
        guide = (ROOT / "docs/cluster.md").read_text()
        named = set(re.findall(r"\(\.\./(deploy/[\w./-]+)\)", guide))
        wanted = {"cluster.compose.yaml", "haproxy-cluster.cfg", "nginx-cluster.conf", "varnish-cluster.vcl"}
        self.assertEqual(named, {f"deploy/{name}" for name in wanted})
        self.assertEqual([path for path in sorted(named) if not (ROOT / path).is_file()], [])


class DebianPackage(unittest.TestCase):
    def setUp(self):
        if shutil.which("dpkg-deb") is None:
            self.skipTest("dpkg-deb is missing")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "package.deb")
        pathlib.Path(self.file).write_bytes(packages()["rillcast_1.2.3-1_amd64.deb"])

    def dpkg(self, *arguments):
        return subprocess.run(["dpkg-deb", *arguments], check=True, capture_output=True).stdout

    def test_dpkg_reads_its_fields(self):
        fields = self.dpkg("--field", self.file).decode()
        for line in ("Package: rillcast", "Version: 1.2.3-1", "Architecture: amd64", f"Depends: {', '.join(NEEDS)}"):
            self.assertIn(f"{line}\n", fields)
        self.assertRegex(fields, r"(?m)^Installed-Size: \d+$")

    def test_dpkg_reads_its_files(self):
        found = members(self.dpkg("--fsys-tarfile", self.file))
        wanted = {f"./{entry.name}" for entry in layout.debian(content(), b"")}
        self.assertEqual({name for name, member in found.items() if member.isfile()}, wanted)

    def test_dpkg_finds_scripts_it_can_run_and_the_files_it_asks_about(self):
        found = members(self.dpkg("--ctrl-tarfile", self.file))
        self.assertEqual({found[f"./{name}"].mode for name in layout.SCRIPTS}, {0o755})
        asked_about = self.dpkg("--info", self.file, "conffiles").decode()
        self.assertEqual(asked_about, "/etc/rillcast/rillcast.toml\n")

    def test_its_sums_are_those_of_its_files(self):
        sums = self.dpkg("--info", self.file, "md5sums").decode()
        line = f"{hashlib.md5(b'the program').hexdigest()}  usr/bin/rillcast\n"
        self.assertIn(line, sums)
        self.assertNotIn("rillcast.toml", sums)


class Requirements(unittest.TestCase):
    def depends(self, headers):
        done = subprocess.CompletedProcess([], 0, headers)
        with unittest.mock.patch("subprocess.run", return_value=done):
            return deb.depends("program")

    def test_the_newest_version_of_the_c_library_counts(self):
        versions = "0 00 02 GLIBC_2.9\n0 00 03 GLIBC_2.34\n0 00 04 GLIBC_2.2.5\n"
        headers = f"NEEDED  libgcc_s.so.1\nNEEDED  libc.so.6\n{versions}"
        self.assertEqual(self.depends(headers), ["adduser", "libc6 (>= 2.34)", "libgcc-s1"])

    def test_a_library_that_no_package_is_known_for_is_refused(self):
        with self.assertRaisesRegex(ValueError, "libssl"):
            self.depends("NEEDED  libssl.so.3\nGLIBC_2.34\n")

    def test_a_program_without_a_c_library_is_refused(self):
        with self.assertRaises(ValueError):
            self.depends("")


class Components(unittest.TestCase):
    def test_checksums_are_those_of_the_lock_file(self):
        lock = (ROOT / "Cargo.lock").read_text()
        found = components.locked_checksums(lock)
        self.assertEqual(len(found), lock.count("\nchecksum = "))

    def test_linked_and_building_crates_are_told_apart_and_our_own_left_out(self):
        trees = {
            "normal,no-proc-macro": "server v1.0.0 (/tree)\ntokio v1.2.3\ntokio v1.2.3 (*)\n",
            "normal,build": "server v1.0.0 (/tree)\ntokio v1.2.3\ncc v1.0.1\n",
        }
        packages = [
            {"name": name, "version": version, "source": source, "license": "MIT/Apache-2.0", "manifest_path": "/a/b"}
            for name, version, source in (
                ("server", "1.0.0", None),
                ("tokio", "1.2.3", "registry"),
                ("cc", "1.0.1", "registry"),
                ("proptest", "1.0.0", "registry"),
            )
        ]

        def cargo(command, *arguments):
            if command == "metadata":
                return json.dumps({"packages": packages})
            return trees[arguments[arguments.index("--edges") + 1]]

        sums = {("tokio", "1.2.3"): "aa", ("cc", "1.0.1"): "bb"}
        with unittest.mock.patch.multiple(components, cargo=cargo, locked_checksums=lambda _: sums):
            found = list(components.crates())
        self.assertEqual([(part.name, part.is_inside) for part in found], [("tokio", True), ("cc", False)])
        self.assertEqual(found[0].licence, "MIT OR Apache-2.0")

    def test_the_licence_of_python_is_here(self):
        self.assertIn("PYTHON SOFTWARE FOUNDATION LICENSE", licences.texts_of(components.CPYTHON_LICENCE)[0])

    def test_the_names_of_emoji_come_from_what_is_named(self):
        for file in (components.UI / "src/viewer/chat/emoji").glob("unicode.*.ts"):
            self.assertIn(f"emojibase-data {components.EMOJI} ", file.read_text(encoding="utf-8"), file.name)
        texts = licences.texts_of(components.EMOJI_LICENCES)
        self.assertEqual([text.split("\n")[0] for text in texts], ["UNICODE LICENSE V3", "MIT License"])
        arabic = components.UI / "src/viewer/chat/emoji/unicode.ar.ts"
        self.assertIn(f"cldr-annotations-full {components.CLDR}.", arabic.read_text(encoding="utf-8"))
        texts = licences.texts_of(components.CLDR_LICENCE)
        self.assertEqual([text.split("\n")[0] for text in texts], ["UNICODE LICENSE V3"])

    def test_pages_and_engine_are_known(self):
        found = {part.name: part for part in (*components.npm_packages(), *components.python_packages())}
        inside = {name for name, part in found.items() if part.is_inside}
        self.assertLessEqual({"solid-js", "hls.js", *components.BUNDLED, "tzdata", "cpython"}, inside)
        self.assertNotIn("vite", found)
        self.assertFalse(found["wasmtime"].is_inside)
        self.assertRegex(found["solid-js"].checksum[1], r"^[0-9a-f]{128}$")

    def test_the_document_names_every_part_once(self):
        parts = [
            components.Component("cargo", "tokio", "1.2.3+a", "MIT", ("SHA-256", "aa")),
            components.Component("npm", "@svta/cml-id3", "1.0.6", "Apache-2.0", is_inside=False),
        ]
        found = json.loads(sbom.document(parts, "1.2.3", WHEN))
        self.assertEqual((found["bomFormat"], found["metadata"]["component"]["version"]), ("CycloneDX", "1.2.3"))
        self.assertEqual(found["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        urls = [(part["purl"], part["scope"]) for part in found["components"]]
        self.assertEqual(
            urls, [("pkg:cargo/tokio@1.2.3%2Ba", "required"), ("pkg:npm/%40svta/cml-id3@1.0.6", "excluded")]
        )


class Licences(unittest.TestCase):
    def test_equal_texts_are_printed_once_and_missing_ones_named(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            texts = {"one/LICENSE-MIT": "same\r\n", "two/deep/COPYING": "same\n", "two/license.rs": "code"}
            for path, text in texts.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(text.encode())
            names = ("one", "two", "three")
            parts = [components.Component("cargo", name, "1", "MIT", folder=folder / name) for name in names]
            parts.append(components.Component("cargo", "tool", "1", "GPL-3.0", is_inside=False, folder=folder / "one"))
            found = licences.collected(parts)
        self.assertEqual(found.count("\nsame\n"), 1)
        self.assertIn("one 1 (cargo)\ntwo 1 (cargo)\n\nsame\n", found)
        self.assertRegex(found, r"bring no text of it[^=]*three 1 \(cargo\)\n")
        self.assertNotIn("code", found)
        self.assertNotIn("tool", found)


class Build(unittest.TestCase):
    def test_the_inner_folder_is_named_after_the_outer_one(self):
        with unittest.mock.patch.dict(os.environ, {"CARGO_HOME": str(ROOT / "cargo")}):
            places = dist.remapped(ROOT / "target")
        self.assertEqual(places[1:], [(ROOT, "/rillcast"), (ROOT / "cargo", "/cargo"), (ROOT / "target", "/target")])

    def test_the_time_can_be_given(self):
        with unittest.mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "12"}):
            self.assertEqual(dist.epoch(), 12)

    def test_every_machine_with_an_engine_can_be_packed_for(self):
        self.assertEqual(set(components.engine.MACHINES), set(deb.ARCHITECTURES))
