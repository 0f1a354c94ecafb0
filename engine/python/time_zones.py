"""Time zones for `zoneinfo`: the database is part of the engine, because a plugin has no files."""

import io
import zlib

# Written by `scripts/engine.py` while the engine is built.
from zone_data import NAMES, ZONES


def install_lookup(common):
    """Let zones be found by their names. Called when `zoneinfo._common` has been loaded."""

    def load_tzdata(key):
        if key not in NAMES:
            raise common.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(zlib.decompress(ZONES[NAMES[key]]))

    common.load_tzdata = load_tzdata


def install_names(tzpath):
    """Let all names be listed. Called when `zoneinfo._tzpath` has been loaded."""
    tzpath.available_timezones = lambda: set(NAMES)
