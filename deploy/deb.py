"""A Debian package, written without Debian's tools: an `ar` archive of a version, the control files and the files.

The format is that of deb(5); `dpkg-deb` reads it in scripts/test_deploy.py.
"""

import email.utils
import hashlib
import re
import subprocess

import archive

# How Debian calls the architectures that there is an engine for.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}

# The packages of Debian 12 that bring the libraries a program may ask for.
LIBRARIES = {
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "libgcc_s.so.1": "libgcc-s1",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
}

MAINTAINER = "The Rillcast contributors <noreply@rillcast.invalid>"
DESCRIPTION = """live-streaming server of your own
 Rillcast takes in a stream by RTMP and plays it in web pages with a chat
 beside it. It is one program with one data folder, takes part in the
 Fediverse, works with bots and runs plugins.
 .
 ffmpeg is needed for further qualities and for pictures of the stream."""


def build(entries, fields, scripts, conffiles, when):
    """The package as bytes. `fields` are those of its control file, `scripts` what dpkg runs, by name."""
    size = sum(-(-len(entry.content) // 1024) for entry in entries)
    control = "".join(f"{name}: {value}\n" for name, value in {**fields, "Installed-Size": size}.items())
    # Files that people change have no sum to compare with.
    fixed = sorted((entry.name, entry.content) for entry in entries if entry.name not in conffiles)
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {name}\n" for name, content in fixed)
    control_files = [
        archive.Entry("control", control.encode()),
        archive.Entry("md5sums", sums.encode()),
        archive.Entry("conffiles", "".join(f"/{name}\n" for name in conffiles).encode()),
        *(archive.Entry(name, content, 0o755) for name, content in scripts.items()),
    ]
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", archive.gzipped(archive.tar(control_files, when))),
        ("data.tar.xz", archive.xz(archive.tar(entries, when))),
    ]
    return ar(members, when)


def fields(version, machine, depends):
    """The control file, but for its size."""
    return {
        "Package": "rillcast",
        "Version": f"{version}-1",
        "Architecture": ARCHITECTURES[machine],
        "Maintainer": MAINTAINER,
        "Section": "video",
        "Priority": "optional",
        "Depends": ", ".join(depends),
        "Recommends": "ca-certificates, ffmpeg",
        "Description": DESCRIPTION,
    }


def changelog(version, when):
    """What Debian wants to know about each package of a release; the release's own changelog lies beside it."""
    said = "  * Release: what changed is in changelog.gz."
    signed = f" -- {MAINTAINER}  {email.utils.formatdate(when)}"
    return f"rillcast ({version}-1) stable; urgency=medium\n\n{said}\n\n{signed}\n".encode()


def depends(program):
    """What the program needs at run time, and the user that the package makes."""
    headers = subprocess.run(["objdump", "-p", str(program)], check=True, capture_output=True, text=True).stdout
    needed = {package_of(name) for name in re.findall(r"NEEDED\s+(\S+)", headers)}
    versions = re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", headers)
    if not versions:
        raise ValueError(f"{program} asks for no version of the C library: is it a program for Linux?")
    newest = max(versions, key=lambda version: tuple(map(int, version.split("."))))
    return ["adduser", f"libc6 (>= {newest})", *sorted(needed - {"libc6"})]


def package_of(library):
    if library not in LIBRARIES:
        raise ValueError(f"the program asks for {library}: say in deploy/deb.py which package brings it")
    return LIBRARIES[library]


def ar(members, when):
    """The common form of ar(5), with a header of 60 characters before each member."""
    made = b"!<arch>\n"
    for name, content in members:
        made += f"{name:<16}{when:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        made += content + b"\n" * (len(content) % 2)
    return made
