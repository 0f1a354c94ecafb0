#!/usr/bin/env python3
"""Take a picture of every page and state, and try the rules of accessibility on each.

    screenshots.py [--only PATTERN] [--short] [--out FOLDER] [--list]

The pictures come from the binary named by RILLCAST_BIN, or else the last dev build. FOLDER (by default `screenshots/`)
has an index.html in the end, where all of them are seen beside each other; it is emptied before.

PATTERN is a regular expression that is looked for in `page/state/variant`: `--only 'chat.*phone'`. With `--short` each
state is looked at once, and those that everybody opens on a phone, too. The rules are those of axe-core for WCAG 2.2 AA
and its best practices, except for what `e2e/screenshots/exemptions.mjs` names with a reason; no page may scroll sideways,
and none may report an error.
"""

import argparse
import collections
import dataclasses
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

import e2e
import reports

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What marks a folder as one of ours, which may be emptied.
ABOUT = "about.json"
RESULTS = "results.jsonl"
SHEET = "index.html"


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something that is wrong with a picture, or only worth a look."""

    kind: str
    text: str
    reason: str = ""  # why it is left as it is

    @property
    def is_failure(self):
        return not self.reason and self.kind != "cut"


def findings(result):
    """Everything that was found in a state, the worst first."""
    found = []
    if result.get("error"):
        found.append(Finding("not reached", result["error"]))
    found += [Finding("error", text) for text in result["problems"]]
    found += [Finding("sideways", text) for text in result["sideways"]]
    for violation in result["violations"]:
        for node in violation["nodes"]:
            text = f"{violation['help']}: {node['target']}"
            found.append(Finding(violation["rule"], text, node.get("exempted") or ""))
    found += [Finding("cut", text) for text in result["cut"]]
    return found


def failures(result):
    return [found for found in findings(result) if found.is_failure]


def name_of(result):
    return f"{result['page']}/{result['name']}/{result['variant']}"


def read(folder):
    """The results in the order of the plan, and what holds for all of them; None if the run did not come to its end."""
    lines = (folder / RESULTS).read_text().splitlines() if (folder / RESULTS).is_file() else []
    results = sorted((json.loads(line) for line in lines), key=lambda result: result["place"])
    about = json.loads((folder / ABOUT).read_text()) if (folder / ABOUT).is_file() else None
    return results, about


def case_of(result):
    wrong = "\n".join(f"{found.kind}: {found.text}" for found in failures(result))
    return reports.Case(name_of(result), result["seconds"], wrong)


def summary(results, about):
    """Lines for the terminal: what is wrong, each kind with the states it is in."""
    places = collections.defaultdict(list)
    for result in results:
        for found in failures(result):
            places[found.kind, found.text.split("\n")[0]].append(name_of(result))
    lines = []
    for (kind, text), names in sorted(places.items()):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines.append(f"{kind}: {text}\n    in {names[0]}{more}")
    if about is None:
        lines.append("the run did not come to its end")
    else:
        lines += [f"not offered, so not looked at: {language}" for language in about["silent"]]
        lines += [f"an exemption is not needed any more: {reason}" for reason in about["unused"]]
        lines += [f"a server could not be filled: {text}" for text in about["refused"]]
    return lines


def passed(results, about):
    """Whether everything was looked at and nothing was found; what cannot be filled shows less than it should."""
    is_whole = about is not None and not about["refused"] and not about["unused"]
    return bool(results) and is_whole and not any(failures(result) for result in results)


STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; background: #f3f3f1; color: #1b1b1b; }
nav { columns: 16rem; margin-bottom: 2rem; } nav a { display: block; }
.states { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure { margin: 0; padding: .5rem; background: #fff; border: 1px solid #ccc; border-radius: 6px; }
figure.wrong { border-color: #b00020; border-width: 2px; }
img { display: block; max-height: 420px; max-width: 460px; width: auto; object-fit: cover; object-position: top; }
figcaption { max-width: 28rem; margin-top: .4rem; font-size: .85rem; overflow-wrap: anywhere; }
li.wrong { color: #b00020; } li { margin: .15rem 0; } ul { padding-inline-start: 1.1rem; margin: .3rem 0; }
"""


def sheet(results, about):
    """One page with all pictures, by the page they are of."""
    pages = collections.defaultdict(list)
    for result in results:
        pages[result["page"]].append(result)
    notes = "".join(f"<li>{html.escape(line)}</li>" for line in summary(results, about))
    links = "".join(
        f'<a href="#page-{at}">{html.escape(page)} ({count_of(members)})</a>'
        for at, (page, members) in enumerate(pages.items())
    )
    sections = "".join(section(at, page, members) for at, (page, members) in enumerate(pages.items()))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page and state</title>'
        f"<style>{STYLE}</style><h1>{len(results)} pictures</h1>"
        f"<details><summary>What was found</summary><ul>{notes}</ul></details>"
        f"<nav>{links}</nav>{sections}</html>\n"
    )


def count_of(members):
    wrong = sum(bool(failures(result)) for result in members)
    return f"{len(members)}, {wrong} wrong" if wrong else str(len(members))


def section(at, page, members):
    figures = "".join(figure(result) for result in members)
    return f'<h2 id="page-{at}">{html.escape(page)}</h2><div class="states">{figures}</div>'


def figure(result):
    found = findings(result)
    lines = "".join(item(one) for one in found)
    picture = ""
    if result.get("picture"):
        address = html.escape(urllib.parse.quote(result["picture"]))
        picture = f'<a href="{address}"><img src="{address}" loading="lazy" alt=""></a>'
    mark = ' class="wrong"' if failures(result) else ""
    caption = html.escape(f"{result['name']} · {result['variant']}")
    return f"<figure{mark}>{picture}<figcaption>{caption}<ul>{lines}</ul></figcaption></figure>"


def item(found):
    mark = ' class="wrong"' if found.is_failure else ""
    reason = f" (left as it is: {found.reason})" if found.reason else ""
    return f"<li{mark}><b>{html.escape(found.kind)}</b> {html.escape(found.text + reason)}</li>"


def prepare(folder):
    """An empty folder; nothing is removed from one that this program has not filled."""
    if folder.is_dir() and any(folder.iterdir()):
        if not any((folder / name).is_file() for name in (ABOUT, RESULTS, SHEET)):
            sys.exit(f"{folder} is not empty, and what is in it are no screenshots")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Until something better is there, so that a run that is ended leaves a folder which may be emptied.
    (folder / RESULTS).touch()


def main(arguments):
    parser = argparse.ArgumentParser(description="Take a picture of every page and state.")
    parser.add_argument("--only", metavar="PATTERN", help="a regular expression for page/state/variant")
    parser.add_argument("--short", action="store_true", help="each state once")
    parser.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=ROOT / "screenshots")
    parser.add_argument("--list", action="store_true", help="say what there is, and take no picture")
    asked = parser.parse_args(arguments)
    folder = asked.out.resolve()
    install = [sys.executable, str(ROOT / "scripts" / "npm.py"), "install", "e2e"]
    if subprocess.run(install).returncode != 0:
        return 1
    command = ["node", str(e2e.FOLDER / "screenshots" / "run.mjs"), "--out", str(folder)]
    command += ["--only", asked.only] if asked.only else []
    command += ["--short"] if asked.short else []
    if asked.list:
        return subprocess.run([*command, "--list"]).returncode
    environment = {**os.environ, **e2e.programs(os.environ)}
    prepare(folder)
    code = subprocess.run(command, cwd=e2e.FOLDER, env=environment).returncode
    results, about = read(folder)
    (folder / SHEET).write_text(sheet(results, about))
    reports.write("screenshots", [case_of(result) for result in results])
    for line in summary(results, about):
        print(line)
    print(f"{len(results)} pictures: {folder / SHEET}", flush=True)
    return 0 if code == 0 and passed(results, about) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
