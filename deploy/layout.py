"""Where each file lies in the tarball and in the Debian package."""

import dataclasses
import pathlib

import archive

DEPLOY = pathlib.Path(__file__).resolve().parent
ROOT = DEPLOY.parent

# Files of the tree that the tarball has at its top.
BESIDE = (
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "deploy/rillcast.service",
    "deploy/rillcast.toml",
)

# Files that dpkg asks about before it replaces what an administrator changed.
CONFFILES = ("etc/rillcast/rillcast.toml",)

# What dpkg runs.
SCRIPTS = ("postinst", "prerm", "postrm")

# Where each shell looks for completions, by the names that clap gives them.
COMPLETIONS = {
    "rillcast.bash": "usr/share/bash-completion/completions/rillcast",
    "rillcast.fish": "usr/share/fish/vendor_completions.d/rillcast.fish",
    "_rillcast": "usr/share/zsh/vendor-completions/_rillcast",
}

DOCUMENTS = "usr/share/doc/rillcast"


@dataclasses.dataclass(frozen=True)
class Content:
    """What was made for this release; everything else is in the tree."""

    program: bytes
    manual: dict  # pages and completions, by file name
    papers: dict  # licences of others and the SBOM, by file name


def tarball(content):
    """A folder to look at: what to put where is in docs/operations.md."""
    return [
        archive.Entry("rillcast", content.program, 0o755),
        *(archive.Entry(pathlib.PurePath(path).name, read(path)) for path in BESIDE),
        *(archive.Entry(name, paper) for name, paper in content.papers.items()),
        *(archive.Entry(f"man/{name}", page) for name, page in pages(content)),
        *(archive.Entry(f"completions/{name}", content.manual[name]) for name in COMPLETIONS),
    ]


def debian(content, changelog):
    """Where Debian wants them. /usr/lib and not /lib: since Debian 13 packages have nothing there."""
    documents = {**content.papers, "changelog": read("CHANGELOG.md"), "changelog.Debian": changelog}
    return [
        archive.Entry("usr/bin/rillcast", content.program, 0o755),
        archive.Entry("usr/lib/systemd/system/rillcast.service", read("deploy/rillcast.service")),
        archive.Entry("etc/rillcast/rillcast.toml", read("deploy/rillcast.toml")),
        archive.Entry(f"{DOCUMENTS}/copyright", read("deploy/debian/copyright")),
        *(archive.Entry(f"{DOCUMENTS}/{name}.gz", archive.gzipped(paper)) for name, paper in documents.items()),
        *(archive.Entry(f"usr/share/man/man1/{name}.gz", archive.gzipped(page)) for name, page in pages(content)),
        *(archive.Entry(place, content.manual[name]) for name, place in COMPLETIONS.items()),
    ]


def pages(content):
    return [(name, page) for name, page in sorted(content.manual.items()) if name.endswith(".1")]


def scripts():
    return {name: read(f"deploy/debian/{name}") for name in SCRIPTS}


def host_name(machine):
    """The name that sdk/python/service_plugin_cli/releases.py asks for."""
    called = "arm64" if machine == "aarch64" else machine
    return f"rillcast-linux-{called}.gz"


def read(path):
    return (ROOT / path).read_bytes()
