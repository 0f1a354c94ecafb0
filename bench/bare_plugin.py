"""The peer of a plugin: CPython as a process of its own, with the same SDK and the same plugin, behind a pipe.

Usage: python3 -I bare_plugin.py SDK PACKAGE, with what is in the package in a folder of the same name beside it: reading
archives takes modules that a plugin need not have. A line is a question, a space after its kind; the answer is a line. A
line that begins with a question mark is what the plugin asks of the server, and the next line is the answer to that.
"""

import sys

sys.path.insert(0, sys.argv[1])

from service_plugin import _guest  # noqa: E402


def main(package):
    def ask(name, arguments):
        say(f"?{name} {arguments}")
        return sys.stdin.readline()

    folder = package.removesuffix(".ocpkg")
    manifest, source = (read(f"{folder}/{name}") for name in ("plugin.manifest.json", "plugin.py"))
    _guest.load("peer", manifest, source, ask)
    say("ready")
    for line in sys.stdin:
        kind, _, text = line.partition(" ")
        say(f"={_guest.call(kind, text)}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[2])
