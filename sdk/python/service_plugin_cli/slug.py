"""The slug: a plugin's identity in addresses, folders, stored values and event names."""

import re
from typing import Optional

PATTERN = "^[a-z][a-z0-9-]{0,63}$"

_SLUG = re.compile(r"[a-z][a-z0-9-]{0,63}")


def is_slug(text: str) -> bool:
    """Whether a text is a slug as it stands."""
    return _SLUG.fullmatch(text) is not None


def derive(name: str) -> Optional[str]:
    """The slug that follows from a display name, or None when none does.

    ASCII letters and digits stay, runs of anything else become one hyphen.
    """
    slug = re.sub("[^a-z0-9]+", "-", _lower(name)).strip("-")
    return slug if is_slug(slug) else None


def display_name(slug: str) -> str:
    """A name to begin with: ``door-bell`` is ``Door Bell``."""
    return " ".join(part.capitalize() for part in slug.split("-") if part)


def _lower(name: str) -> str:
    # Not str.lower(): it would make letters of signs that are none in ASCII, such as the sign for Kelvin.
    return re.sub("[A-Z]", lambda found: found.group().lower(), name)
