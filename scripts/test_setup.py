"""Set-up installs what is missing after one question, says what it would do, and says nothing when all is there."""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent

# Programs of the system that the scripts use. Nothing else of this machine is on the PATH of a test.
SYSTEM = "bash cat chmod cut dirname env head mkdir mktemp rm sed sh sort tail tee tr uname".split()

# Toolchains that are as old as they may be.
NEEDED = {
    "rustc": 'echo "rustc 1.95.0 (0000 2026-01-01)"',
    "cargo": "",
    "node": "echo v20.19.0",
    "npm": "echo 11.0.0",
    "cc": "",
}

# Stands in for what https://sh.rustup.rs answers: leaves a rustup that leaves a compiler.
INSTALLER = r"""
echo "installer $*" >>"$CALLS"
mkdir -p "$HOME/.cargo/bin"
cat >"$HOME/.cargo/bin/rustup" <<'END'
#!/bin/sh
echo "rustup $*" >>"$CALLS"
printf '#!/bin/sh\necho "rustc 1.95.0 (0000 2026-01-01)"\n' >"$HOME/.cargo/bin/rustc"
printf '#!/bin/sh\n' >"$HOME/.cargo/bin/cargo"
chmod +x "$HOME/.cargo/bin/rustc" "$HOME/.cargo/bin/cargo"
END
chmod +x "$HOME/.cargo/bin/rustup"
"""

# Stands in for scripts/node.py.
NODE_PY = """
import os, pathlib, sys
with open(os.environ["CALLS"], "a") as calls:
    print("node.py", *sys.argv[1:], file=calls)
if "NO_NETWORK" in os.environ:
    sys.exit("node.py: cannot be fetched")
folder = pathlib.Path(__file__).resolve().parent.parent / ".tools" / "node" / "bin"
folder.mkdir(parents=True)
for name, version in (("node", "v24.0.0"), ("npm", "11.0.0")):
    if name == "npm" or "npm" not in sys.argv:
        (folder / name).write_text(f"#!/bin/sh\\necho {version}\\n")
        (folder / name).chmod(0o755)
"""


class SetUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.tree, self.bin, self.calls_file = self.root / "tree", self.root / "bin", self.root / "calls"
        (self.tree / "scripts").mkdir(parents=True)
        for name in ("setup.sh", "toolchains.sh"):
            shutil.copy(SCRIPTS / name, self.tree / "scripts")
        (self.tree / "scripts" / "node.py").write_text(NODE_PY)
        (self.tree / "rust-toolchain.toml").write_text('[toolchain]\nchannel = "1.95.0"\n')
        self.bin.mkdir()
        for name in SYSTEM:
            (self.bin / name).symlink_to(shutil.which(name))
        self.program("python3", f'exec "{os.path.realpath(sys.executable)}" "$@"')
        self.program("id", "echo 1000")
        self.program("curl", f"cat <<'INSTALLER_END'\n{INSTALLER}INSTALLER_END", logged=True)
        for name, body in NEEDED.items():
            self.program(name, body)
        self.env = {"PATH": str(self.bin), "HOME": str(self.root / "home"), "CALLS": str(self.calls_file)}

    def program(self, name, body, logged=False):
        file = self.bin / name
        file.unlink(missing_ok=True)
        log = f'echo "{name} $*" >>"$CALLS"\n' if logged else ""
        file.write_text(f"#!/bin/sh\n{log}{body}\n")
        file.chmod(0o755)

    def without(self, *names):
        for name in names:
            (self.bin / name).unlink()

    def command(self, ring="toolchains"):
        return [str(self.tree / "scripts" / "setup.sh"), ring]

    def run_it(self, ring="toolchains", **env):
        """Exit code and output of a run without a terminal."""
        done = subprocess.run(
            self.command(ring),
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=30,
        )
        return done.returncode, done.stdout

    def run_on_terminal(self, answer):
        """The same on a terminal, where somebody answers."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen(self.command(), env=self.env, stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        said, deadline, is_answered = "", time.monotonic() + 30, False
        while time.monotonic() < deadline and select.select([controller], [], [], 30)[0]:
            try:
                chunk = os.read(controller, 65536)
            except OSError:  # this is how the end of a terminal reads
                break
            said += chunk.decode()
            if "[Y/n]" in said and not is_answered:
                os.write(controller, answer.encode())
                is_answered = True
        os.close(controller)
        return process.wait(timeout=30), said

    def calls(self):
        return self.calls_file.read_text().splitlines() if self.calls_file.is_file() else []


class NothingToDo(SetUp):
    def test_says_nothing_when_all_is_there(self):
        self.assertEqual(self.run_it("build"), (0, ""))
        self.assertEqual(self.calls(), [])

    def test_a_mistyped_ring_is_refused(self):
        code, said = self.run_it("everything")
        self.assertEqual(code, 2)
        self.assertIn("usage", said)


class Rust(SetUp):
    def setUp(self):
        super().setUp()
        self.without("rustc", "cargo")

    def test_a_missing_rust_is_installed_by_rustups_own_installer(self):
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 0, said)
        curl, installer, rustup = self.calls()
        self.assertTrue(curl.endswith("https://sh.rustup.rs"), curl)
        self.assertEqual(installer, "installer -y --profile minimal --default-toolchain none --no-modify-path")
        self.assertTrue(rustup.startswith("rustup toolchain install 1.95.0 "), rustup)
        self.assertEqual(self.run_it(), (0, ""), "a later run finds it")

    def test_ci_is_not_asked(self):
        self.assertEqual(self.run_it(CI="true")[0], 0)
        self.assertEqual(len(self.calls()), 3)

    def test_without_a_terminal_the_commands_are_named_and_nothing_is_run(self):
        code, said = self.run_it()
        self.assertEqual((code, self.calls()), (1, []))
        self.assertIn("needs Rust 1.95.0 (missing)", said)
        self.assertIn("https://sh.rustup.rs |", said)
        self.assertIn(f"{self.root}/home/.cargo/bin/rustup toolchain install 1.95.0", said)
        self.assertIn("YES=1", said)

    def test_a_compiler_of_the_system_that_is_too_old_is_left_alone(self):
        self.program("rustc", 'echo "rustc 1.85.0 (0000 2025-01-01)"')
        self.program("cargo", "")
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 0, said)
        self.assertIn("Rust 1.95.0 (found 1.85.0)", said)

    def test_a_rustup_without_the_toolchain_is_used(self):
        rustup = self.root / "home" / ".cargo" / "bin" / "rustup"
        subprocess.run(["sh", "-c", INSTALLER], env={**self.env, "CALLS": "/dev/null"}, check=True)
        self.assertTrue(rustup.is_file())
        self.assertEqual(self.run_it(YES="1")[0], 0)
        self.assertEqual([call.split()[0] for call in self.calls()], ["rustup"])

    def test_wget_does_where_there_is_no_curl(self):
        (self.bin / "curl").rename(self.bin / "wget")
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 0, said)
        self.assertIn("wget -qO- https://sh.rustup.rs", said)

    def test_a_failed_download_is_shown_with_the_command_to_run(self):
        self.program("curl", "echo 'could not resolve host' >&2; exit 6")
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 1)
        self.assertIn("could not resolve host", said)
        self.assertIn("please run, and then make again: curl", said)

    def test_an_installer_that_leaves_nothing_is_no_success(self):
        self.program("rustup", "")
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 1)
        self.assertIn("still there is no Rust 1.95.0", said)


class Question(SetUp):
    def setUp(self):
        super().setUp()
        self.without("rustc", "cargo")
        self.program("node", "echo v18.19.0")

    def test_one_question_for_everything_and_no_means_no(self):
        code, said = self.run_on_terminal("n\n")
        self.assertEqual((code, self.calls()), (1, []))
        self.assertEqual(said.count("[Y/n]"), 1)
        self.assertIn("needs Rust 1.95.0 (missing) and Node 20.19 or newer (found 18.19.0)", said)

    def test_return_means_yes(self):
        code, said = self.run_on_terminal("\n")
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("[Y/n]"), 1)
        self.assertEqual([call.split()[0] for call in self.calls()], ["curl", "installer", "rustup", "node.py"])

    def test_a_closed_input_means_no(self):
        code, _ = self.run_on_terminal("\x04")
        self.assertEqual((code, self.calls()), (1, []))


class Node(SetUp):
    POLICY = 'printf "nodejs:\\n  Installed: (none)\\n  Candidate: {}\\n"'

    def packages(self, version, user=0):
        """Packages of Debian, with a Node of this version that can be installed."""
        self.program("id", f"echo {user}")
        self.program("apt-cache", self.POLICY.format(version))
        installed = self.bin / "node"
        leave_it = f'printf "#!/bin/sh\\necho v{version}\\n" >{installed}; chmod +x {installed}'
        self.program("apt-get", f'case "$*" in *install*) {leave_it} ;; esac', logged=True)

    def test_an_old_one_is_replaced_inside_the_tree(self):
        self.program("node", "echo v18.19.0")
        self.assertEqual(self.run_it(YES="1")[0], 0)
        self.assertEqual(self.calls(), ["node.py"])
        self.assertEqual(self.run_it(), (0, ""), "a later run finds it")

    def test_the_systems_packages_are_taken_where_they_are_new_enough(self):
        self.without("node", "npm")
        self.packages("20.19.2+dfsg-1")
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.calls()[0], "apt-get -qq update")
        self.assertTrue(self.calls()[1].endswith(" install nodejs"))
        self.assertEqual(self.calls()[2:], ["node.py npm"], "Debian's has no npm")

    def test_packages_that_are_too_old_are_not_taken(self):
        self.without("node", "npm")
        self.packages("18.19.0+dfsg-6")
        self.assertEqual(self.run_it(YES="1")[0], 0)
        self.assertEqual(self.calls(), ["node.py"])

    def test_without_rights_the_archive_is_taken(self):
        self.without("node", "npm")
        self.packages("20.19.2+dfsg-1", user=1000)
        self.program("sudo", "exit 1")
        self.assertEqual(self.run_it(YES="1")[0], 0)
        self.assertEqual(self.calls(), ["node.py"])

    def test_no_password_is_asked_for_what_the_archive_does_too(self):
        self.without("node", "npm")
        self.packages("20.19.2+dfsg-1", user=1000)
        self.program("sudo", '[ "$1" != -n ]', logged=True)
        self.assertEqual(self.run_on_terminal("y\n")[0], 0)
        self.assertEqual(self.calls(), ["sudo -n true", "node.py"])

    def test_npm_alone_is_added_to_a_node_without_it(self):
        self.without("npm")
        self.assertEqual(self.run_it(YES="1")[0], 0)
        self.assertEqual(self.calls(), ["node.py npm"])

    def test_another_architecture_is_sent_to_nodes_own_page(self):
        self.without("node", "uname")
        self.program("uname", "echo riscv64")
        code, said = self.run_it(YES="1")
        self.assertEqual((code, self.calls()), (1, []))
        self.assertIn("https://nodejs.org", said)

    def test_without_a_network_the_command_is_named(self):
        self.without("node")
        code, said = self.run_it(YES="1", NO_NETWORK="1")
        self.assertEqual(code, 1)
        self.assertIn("please run, and then make again: python3 scripts/node.py", said)


class Python(SetUp):
    def test_a_missing_one_comes_from_the_systems_packages(self):
        self.without("python3")
        self.program("id", "echo 0")
        self.program("apt-cache", "")
        real = os.path.realpath(sys.executable)
        self.program("apt-get", f'case "$*" in *install*) ln -s {real} {self.bin}/python3 ;; esac', logged=True)
        (self.bin / "ln").symlink_to(shutil.which("ln"))
        code, said = self.run_it(YES="1")
        self.assertEqual(code, 0, said)
        self.assertTrue(self.calls()[-1].endswith(" install python3 python3-venv"))

    def test_without_rights_the_commands_are_named(self):
        self.without("python3")
        self.program("apt-get", "", logged=True)
        code, said = self.run_it(YES="1")
        self.assertEqual((code, self.calls()), (1, []))
        self.assertIn("as root: apt-get update && apt-get install python3", said)

    def test_one_that_is_too_old_on_a_system_without_a_newer_one_is_built_by_hand(self):
        self.program("python3", "echo 3.6.8")
        code, said = self.run_it(YES="1")
        self.assertEqual((code, self.calls()), (1, []))
        self.assertIn("Python 3.9 or newer (found 3.6.8)", said)
        self.assertIn("./configure", said)


class Packages(SetUp):
    def test_sudo_may_ask_for_a_password_on_a_terminal(self):
        self.without("python3")
        self.program("apt-cache", "")
        self.program("apt-get", "")
        self.program("sudo", '[ "$1" != -n ]', logged=True)
        _, said = self.run_on_terminal("y\n")
        self.assertIn("sudo apt-get -qq update", self.calls(), said)

    def test_a_missing_compiler_without_rights_stops_the_build_and_is_named(self):
        self.without("cc")
        self.program("apt-get", "", logged=True)
        code, said = self.run_it("build")
        self.assertEqual((code, self.calls()), (1, []))
        self.assertIn("please run as root: apt-get install --no-install-recommends gcc libc6-dev", said)


if __name__ == "__main__":
    unittest.main()
