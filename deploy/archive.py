"""Archives whose bytes follow from their content alone: no order of a disk, no owner, no clock."""

import dataclasses
import gzip
import io
import lzma
import pathlib
import platform
import tarfile


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of an archive; `name` is its path there, without a slash in front."""

    name: str
    content: bytes
    mode: int = 0o644


def tar(entries, when, above="."):
    """A tar archive below the folder `above`, with every folder once, sorted by name, all as old as `when`."""
    files = {entry.name: entry for entry in entries}
    if len(files) != len(entries):
        raise ValueError("two files of the archive have one name")
    folders = {str(folder) for name in files for folder in pathlib.PurePosixPath(name).parents}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted({*files, *folders}):
            member = tarfile.TarInfo(above if name == "." else f"{above}/{name}")
            member.mtime, member.uname, member.gname = when, "root", "root"
            if name in folders:
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(member)
            else:
                content = files[name].content
                member.size, member.mode = len(content), files[name].mode
                archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def gzipped(content):
    """Without the name and the time that gzip would note. Not `gzip.compress`: its header differs between Pythons."""
    made = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, made, mtime=0) as stream:
        stream.write(content)
    return made.getvalue()


def xz(content):
    """As small as it gets for a program: the whole of it in the dictionary, addresses of calls made absolute first, and
    guesses from more of the byte before and less of the place, as instructions begin anywhere."""
    by_machine = {"x86_64": [{"id": lzma.FILTER_X86}]}
    packing = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 1}
    filters = [*by_machine.get(platform.machine(), []), packing]
    return lzma.compress(content, filters=filters)
