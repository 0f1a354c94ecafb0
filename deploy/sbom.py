#!/usr/bin/env python3
"""Print what is inside the program and what built it, as a CycloneDX 1.5 document.

    deploy/sbom.py > rillcast.cdx.json

`excluded` are parts that build the program and are not in it.
"""

import argparse
import datetime
import json
import pathlib
import re
import urllib.parse

import components

ROOT = pathlib.Path(__file__).resolve().parent.parent


def document(parts, version, when):
    """The document as text; `when` is in seconds since 1970."""
    moment = datetime.datetime.fromtimestamp(when, datetime.timezone.utc)
    whole = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": "rillcast",
                "name": "rillcast",
                "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
            },
        },
        "components": [described(part) for part in parts],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def described(part):
    url = package_url(part)
    found = {
        "type": "library",
        "bom-ref": url,
        "name": part.name,
        "version": part.version,
        "scope": "required" if part.is_inside else "excluded",
        "purl": url,
    }
    if part.licence:
        found["licenses"] = [{"expression": part.licence}]
    if part.checksum:
        algorithm, digits = part.checksum
        found["hashes"] = [{"alg": algorithm, "content": digits}]
    return found


def package_url(part):
    """Scoped names of npm keep their slash; everything else that a URL cannot have is escaped."""
    return f"pkg:{part.kind}/{urllib.parse.quote(part.name)}@{urllib.parse.quote(part.version, safe='')}"


def workspace_version():
    return re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epoch", type=int, default=0, metavar="SECONDS", help="the time it says it was made at")
    given = parser.parse_args()
    print(document(components.everything(), workspace_version(), given.epoch), end="")


if __name__ == "__main__":
    main()
