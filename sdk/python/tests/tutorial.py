"""Reads a tutorial as a reader does, and does what it says.

A block of code says by its first line what it is: ``sh`` holds commands, ``console`` commands behind ``$`` and what they
print, and one with ``title="…"`` is a file with that content. Blocks without a word are only to look at.
"""

import pathlib
import re
import subprocess

SECONDS = 300
USUAL_ADDRESS = "http://127.0.0.1:8080"

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)


class Block:
    """One block of code."""

    def __init__(self, words, text, line):
        self.kind, _, self.words = words.partition(" ")
        self.text = text
        self.line = line
        title = re.search(r'title="([^"]+)"', self.words)
        self.file = title.group(1) if title else None


def blocks(markdown, heading):
    """The blocks below a heading of the second rank."""
    start = markdown.index("## %s\n" % heading)
    end = markdown.find("\n## ", start)
    found = _FENCE.finditer(markdown, start, end if end >= 0 else len(markdown))
    return [Block(one.group(1), one.group(2), markdown.count("\n", 0, one.start()) + 1) for one in found]


def exchanges(text):
    """The commands of a console, each with the lines below it."""
    parts = re.split(r"^\$ ", text, flags=re.M)
    assert parts[0] == "", "a console begins with a command"
    return [(part.split("\n")[0], part.split("\n")[1:-1]) for part in parts[1:]]


def missing(wanted, said):
    """The first line that was promised and is not there, in the order of the promise; None if all are."""
    lines = iter(said.split("\n"))
    for line in wanted:
        # A line that is nothing but an ellipsis stands for any number of lines.
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if line != "…" and not any(re.fullmatch(pattern, one) for one in lines):
            return line
    return None


class Reader:
    """Somebody in a folder, in front of a shell that remembers where it is and what was exported."""

    def __init__(self, folder, environment):
        self.folder = pathlib.Path(folder)
        self.environment = environment
        self.state = self.folder / ".state"
        self.address = USUAL_ADDRESS
        self.servers = []

    def does(self, block):
        """Do what a block says. The answer is what is wrong with it, or None."""
        if block.file:
            return self.writes(block.file, block.text)
        if block.kind == "sh" and block.words == "background":
            return self.starts(block.text.strip())
        if block.kind == "sh":
            return self.types(block.text, [], False)
        if block.kind == "console":
            for command, wanted in exchanges(block.text):
                wrong = self.types(command, wanted, block.words == "fails")
                if wrong:
                    return wrong
            return None
        return "nobody knows what to do with %r" % block.kind if block.kind else None

    def writes(self, name, text):
        place = subprocess.run(self.shell("pwd"), stdout=subprocess.PIPE, env=self.environment, check=True)
        file = pathlib.Path(place.stdout.decode().strip()) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def types(self, command, wanted, fails):
        command = command.replace(USUAL_ADDRESS, self.address)
        told = subprocess.run(
            self.shell(command),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
        said = told.stdout.decode("utf-8", "replace")
        if (told.returncode != 0) != fails:
            return "%s\nended with %d:\n%s" % (command, told.returncode, said)
        line = missing(wanted, said)
        return None if line is None else "%s\ndid not print %r:\n%s" % (command, line, said)

    def starts(self, command):
        """A server, which says where it is; a port of its own keeps it out of the way of others."""
        process = subprocess.Popen(
            self.shell("exec %s --port 0" % command),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.servers.append(process)
        for line in process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line.decode())
            if found:
                self.address = found.group()
                return None
        return "%s\nended before it said where it is" % command

    def leaves(self):
        for process in self.servers:
            process.terminate()
            process.communicate()

    def shell(self, command):
        """The state is what is exported, with the folder among it."""
        remember = 'trap \'export -p >"%s"\' EXIT' % self.state
        begin = 'cd "%s"; [ ! -e "%s" ] || { . "%s"; cd "$PWD"; }' % (self.folder, self.state, self.state)
        return ["bash", "-e", "-c", "%s\n%s\n%s" % (begin, remember, command)]
