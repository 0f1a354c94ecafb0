"""The mirror follows a clone by content, so that cargo's own judgement of what is fresh is right."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import mirror


class Folders(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = pathlib.Path(scratch.name)
        self.clone = self.home / "clone"
        self.folder = self.home / "mirror"
        self.clone.mkdir()

    def write(self, path, text, clone=None):
        file = (clone or self.clone) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def synchronise(self):
        return {str(path) for path in mirror.synchronise(self.clone, self.folder)}


class Synchronising(Folders):
    def test_what_did_not_change_keeps_its_time_stamp(self):
        same, other = self.write("src/same.rs", "a"), self.write("src/other.rs", "b")
        self.synchronise()
        long_ago = (1_000_000, 1_000_000)
        os.utime(self.folder / "src/same.rs", long_ago)
        os.utime(self.folder / "src/other.rs", long_ago)
        same.write_text("a")
        other.write_text("c")
        self.assertEqual(self.synchronise(), {"src/other.rs"})
        self.assertEqual((self.folder / "src/same.rs").stat().st_mtime, 1_000_000)
        self.assertGreater((self.folder / "src/other.rs").stat().st_mtime, 1_000_000)

    def test_a_change_that_keeps_size_and_time_is_seen(self):
        file = self.write("a", "one")
        self.synchronise()
        before = file.stat()
        file.write_text("two")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.synchronise(), {"a"})
        self.assertEqual((self.folder / "a").read_text(), "two")

    def test_what_is_gone_goes_with_its_folder(self):
        self.write("old/deep/file", "x").unlink()
        self.write("folder/file", "x")
        self.synchronise()
        (self.clone / "folder/file").unlink()
        (self.clone / "folder").rmdir()
        self.assertEqual(self.synchronise(), {"folder/file"})
        self.assertFalse((self.folder / "folder").exists())

    def test_what_gitignore_names_stays_in_the_mirror_and_does_not_come_from_the_clone(self):
        self.write(".gitignore", "# built\n/dist/\nnode_modules/\n*.log\n")
        self.write("dist/of-the-clone", "x")
        self.write("src/dist/kept", "an anchored pattern is about the top alone")
        self.synchronise()
        self.write("dist/of-the-mirror", "x", self.folder)
        self.write("ui/node_modules/package/index.js", "x", self.folder)
        self.write("a.log", "x", self.folder)
        self.assertEqual(self.synchronise(), set())
        found = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        kept = {"dist/of-the-mirror", "ui/node_modules/package/index.js", "a.log", ".gitignore", "src/dist/kept"}
        self.assertEqual(found, kept)

    def test_patterns_it_does_not_know_are_refused(self):
        self.write(".gitignore", "*.log\n!important.log\n")
        with self.assertRaises(SystemExit):
            self.synchronise()

    def test_the_projects_own_patterns_are_known(self):
        rules = (pathlib.Path(mirror.__file__).parent.parent / ".gitignore").read_text()
        ignored = mirror.Ignored(rules)
        for path in ("target", "ui/node_modules", "e2e/node_modules", "ui/dist", "scripts/__pycache__"):
            self.assertIn(pathlib.PurePath(path), ignored)

    def test_modes_and_links_are_followed(self):
        script = self.write("run", "#!/bin/sh\n")
        (self.clone / "link").symlink_to("run")
        self.synchronise()
        script.chmod(0o755)
        (self.clone / "link").unlink()
        (self.clone / "link").symlink_to("elsewhere")
        self.assertEqual(self.synchronise(), {"run", "link"})
        self.assertTrue(os.access(self.folder / "run", os.X_OK))
        self.assertEqual(os.readlink(self.folder / "link"), "elsewhere")

    def test_a_file_may_become_a_folder_and_back(self):
        file = self.write("thing", "x")
        self.synchronise()
        file.unlink()
        self.write("thing/inside", "y")
        self.assertEqual(self.synchronise(), {"thing", "thing/inside"})
        self.assertEqual((self.folder / "thing/inside").read_text(), "y")
        (self.clone / "thing/inside").unlink()
        (self.clone / "thing").rmdir()
        file.write_text("x")
        self.synchronise()
        self.assertEqual((self.folder / "thing").read_text(), "x")

    def test_git_itself_is_left_out(self):
        self.write(".git/HEAD", "x")
        self.write("a", "x")
        self.assertEqual(self.synchronise(), {"a"})

    def test_a_clone_inside_the_mirror_is_refused(self):
        for pair in ((self.clone, self.clone), (self.clone, self.clone / "m"), (self.clone, self.home)):
            with self.subTest(pair=pair), self.assertRaises(SystemExit):
                mirror.main([str(path) for path in pair])


class Cargo(Folders):
    """Real cargo, and two clones that differ in one of two crates."""

    def make_clone(self, name, word):
        clone = self.home / name
        self.write("Cargo.toml", '[workspace]\nmembers = ["lib", "bin"]\nresolver = "2"\n', clone)
        manifest = '[package]\nname = "{}"\nversion = "0.0.0"\nedition = "2021"\n'
        self.write("lib/Cargo.toml", manifest.format("word"), clone)
        self.write("lib/src/lib.rs", f'pub fn word() -> &\'static str {{ "{word}" }}\n', clone)
        self.write("bin/Cargo.toml", manifest.format("say") + '[dependencies]\nword = { path = "../lib" }\n', clone)
        self.write("bin/src/main.rs", 'fn main() { println!("{}", word::word()); }\n', clone)
        self.write("README", name, clone)
        return clone

    def build(self, clone):
        """What the program of a clone says, and which crates had to be compiled for it."""
        mirror.synchronise(clone, self.folder)
        env = {**os.environ, "CARGO_TARGET_DIR": str(self.home / "target"), "CARGO_INCREMENTAL": "0"}
        env.pop("CARGO_TERM_QUIET", None)
        built = subprocess.run(
            ["cargo", "build", "--offline"], cwd=self.folder, env=env, capture_output=True, text=True, check=True
        )
        said = subprocess.run([self.home / "target/debug/say"], capture_output=True, text=True, check=True).stdout
        compiled = {line.split()[1] for line in built.stderr.splitlines() if "Compiling" in line}
        return said.strip(), compiled

    def test_two_clones_built_in_turns_never_share_wrong_artefacts(self):
        one, two = self.make_clone("one", "one"), self.make_clone("two", "two")
        twin = self.make_clone("twin", "two")
        self.assertEqual(self.build(one), ("one", {"word", "say"}))
        self.assertEqual(self.build(two), ("two", {"word", "say"}))
        self.assertEqual(self.build(twin), ("two", set()), "only a file that cargo does not know differs")
        self.assertEqual(self.build(one), ("one", {"word", "say"}))
        self.write("bin/src/main.rs", 'fn main() { println!("{}!", word::word()); }\n', one)
        self.assertEqual(self.build(one), ("one!", {"say"}))


if __name__ == "__main__":
    unittest.main()
