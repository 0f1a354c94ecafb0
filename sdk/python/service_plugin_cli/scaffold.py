"""``new``: the files a plugin begins with."""

import pathlib
import shutil
from typing import Dict

from . import slug as slugs
from .problem import Problem

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"

SKILL = "write-plugin"

# Where each template goes. Names with a dot in front would not be found by every tool that packs this package.
FILES: Dict[str, str] = {
    "plugin.manifest.json": "plugin.manifest.json",
    "README.md": "README.md",
    "INSTRUCTIONS.md": "INSTRUCTIONS.md",
    "AGENTS.md": "AGENTS.md",
    "SKILL.md": ".agents/skills/%s/SKILL.md" % SKILL,
    "plugin.py": "src/plugin.py",
    "plugin.test.json": "__tests__/plugin.test.json",
    "gitignore": ".gitignore",
}


class Scaffold:
    """A plugin that was just begun."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.slug = folder.name
        self.name = slugs.display_name(self.slug)

    def write(self) -> None:
        """Write all files. The folder must not be there yet."""
        self._check()
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise Problem("%s cannot be made: %s" % (self.folder, error.strerror or error))
        try:
            for template, target in FILES.items():
                self._fill(TEMPLATES / template, self.folder / target)
        except OSError as error:
            # Half a plugin would only be in the way of the next try.
            shutil.rmtree(str(self.folder), ignore_errors=True)
            raise Problem("%s cannot be written: %s" % (error.filename, error.strerror or error))

    def _check(self) -> None:
        if not slugs.is_slug(self.slug):
            raise Problem(
                "%r cannot be the slug of a plugin: use small letters, digits and hyphens, with a letter first and at "
                "most 64 of them, such as door-bell" % self.slug
            )
        # A link that leads nowhere is there as well.
        if self.folder.exists() or self.folder.is_symlink():
            raise Problem("%s exists already: choose another name, or move it away" % self.folder)

    def _fill(self, template: pathlib.Path, target: pathlib.Path) -> None:
        text = template.read_text(encoding="utf-8")
        text = text.replace("{{slug}}", self.slug).replace("{{name}}", self.name).replace("{{skill}}", SKILL)
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(str(target), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
