"""Small tools of the Python Package Index, each in a virtual environment of its own in the cache.

A tool is a package in one version, with all it needs, whose archives are known by their checksums. Only the standard
library is used: this has to run before anything is installed.
"""

import dataclasses
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import venv

INSTALL_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Package:
    """One version of a package, and the SHA-256 of its wheel; by architecture where each has its own, and several where
    each Python has its own too."""

    name: str
    version: str
    sha256: object
    # Others that have to be there.
    needs: tuple = ()

    def __str__(self):
        return f"{self.name}=={self.version}"

    def checksums(self):
        known = self.sha256[platform.machine()] if isinstance(self.sha256, dict) else self.sha256
        return (known,) if isinstance(known, str) else known

    def requirement(self):
        """Without the checksum pip would take the wheel of another system where there is none for this one."""
        return " ".join([str(self), *(f"--hash=sha256:{checksum}" for checksum in self.checksums())])


# Builds the wheel of the SDK. The last line of versions that also reads how older ones want the licence written.
SETUPTOOLS = Package("setuptools", "80.9.0", "062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922")

# Tells which Python a source needs.
VERMIN = Package("vermin", "1.9.2", "3e3e95d937f7d165eb928e0c268dfec466ccc40e9e1ce825e5d6e5aa027b6f30")

# Check types. mypy's wheels of machine code, one for each Python from 3.9 on: without it the first check on a machine takes
# a minute. pyright's wheel carries what Node runs, and what its own command would need is not.
MYPY = Package(
    "mypy",
    "1.18.2",
    {
        "x86_64": (
            "22f27105f1525ec024b5c630c0b9f36d5c1cc4d447d61fe51ff4bd60633f47ac",
            "f9e171c465ad3901dc652643ee4bffa8e9fef4d7d0eece23b428908c77a76a66",
            "1331eb7fd110d60c24999893320967594ff84c38ac6d19e0a76c5fd809a84c86",
            "01199871b6110a2ce984bde85acd481232d17413868c9807e95c1b0739a58914",
            "a431a6f1ef14cf8c144c6b14793a23ec4eae3db28277c358136e79d7d062f62d",
            "d924eef3795cc89fecf6bedc6ed32b33ac13e8321344f6ddbf8ee89f706c05cb",
        ),
        "aarch64": (
            "d6985ed057513e344e43a26cc1cd815c7a94602fb6a3130a34798625bc2f07b6",
            "448acd386266989ef11662ce3c8011fd2a7b632e0ec7d61a98edd8e27472225b",
            "1379451880512ffce14505493bd9fe469e0697543717298242574882cf8cdb8d",
            "5d6c838e831a062f5f29d11c9057c6009f60cb294fea33a98422688181fe2893",
            "c3ad2afadd1e9fea5cf99a45a822346971ede8685cc581ed9cd4d42eaf940986",
            "6ca1e64b24a700ab5ce10133f7ccd956a04715463d30498e64ea8715236f9c9c",
        ),
    },
    (
        Package("mypy_extensions", "1.1.0", "1be4cccdb0f2482337c4743e60421de3a356cd97508abadd57d47403e94f5505"),
        Package("pathspec", "0.12.1", "a0d503e138a4c123b27490a4f7beda6a01c6f288df0e4a8b79c7eb0dc7b4cc08"),
        Package("tomli", "2.2.1", "cb55c73c5f4408779d0cf3eef9f762b9c9f147a77de7b258bef0a5628adc85cc"),
        Package("typing_extensions", "4.15.0", "f0fa19c6845758ab08074a0cfa8b7aecb71c999ca73d62883bc25cc018c4e548"),
    ),
)
PYRIGHT = Package("pyright", "1.1.414", "2a6b4b3298c9eec174c5ed83bd338de6eee82df2992f3e1930e6199d381be36f")


# What pip says of an archive that is not the one that is pinned.
OTHER_ARCHIVE = b"DO NOT MATCH THE HASHES"


class OtherArchive(Exception):
    """What was fetched is not what is pinned: nothing that could be left out, but a reason to look."""


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "rillcast"


def python_with(package):
    """A Python that has the package; it is installed on first use."""
    folder = environment(package)
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = "".join(f"{one.requirement()}\n" for one in (package, *package.needs))
    # A virtual environment dies with the Python it was made of, and another wheel of the same version is another tool.
    if stamp.is_file() and stamp.read_text() == wanted and os.access(python, os.X_OK):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"installing {package.name} {package.version}", file=sys.stderr, flush=True)
    venv.create(folder, with_pip=True)
    with tempfile.TemporaryDirectory(prefix="pinned-") as scratch:
        requirements = pathlib.Path(scratch) / "wanted.txt"
        requirements.write_text(wanted)
        flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"]
        # Byte code beside files that are only to be copied gets in the way of a tool that copies them.
        run([python, "-m", "pip", "install", "--no-compile", *flags, "-r", requirements])
    stamp.write_text(wanted)
    return python


def environment(package):
    """The folder of its virtual environment, which need not be there."""
    return cache() / f"venv-{package.name}-{package.version}-{sys.version_info[0]}.{sys.version_info[1]}"


def modules(package):
    """Where the modules lie that were installed with it."""
    return environment(package) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def run(command, env=None):
    """Run a tool; show what it said only if it failed."""
    # What it writes has the same modes on every machine: they get into archives.
    flags = {"timeout": INSTALL_SECONDS, "env": env, "umask": 0o022}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **flags)
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        if OTHER_ARCHIVE in done.stdout:
            raise OtherArchive("an archive has another checksum than the one that is pinned")
        sys.exit(f"{' '.join(map(str, command[1:4]))} failed; what it said is above")
