"""What it costs to believe another server: stored bytes of a signed request → what is done with it, on one core."""

import json
import pathlib
import subprocess

import programs
from rows import row

FOLDER = pathlib.Path(__file__).resolve().parent / "proofs"
SECONDS = 20
LONG_SECONDS = 120
# Of the rate of the bare arithmetic.
RATIO_LIMIT = 0.5


def measure(run):
    built = programs.build(FOLDER)
    if built is None:
        return []
    seconds = LONG_SECONDS if run.is_long else SECONDS
    output = subprocess.run([built / "proofs", str(seconds)], check=True, capture_output=True, text=True).stdout
    seen = json.loads(output)
    name = "inbox: signed requests believed a second, key known, one core"
    return [
        row(
            name,
            seen["decisions"],
            seen["verifications"],
            "bare RSA-2048",
            ratio_limit=RATIO_LIMIT,
            more_is_better=True,
            seen=seen,
        )
    ]
