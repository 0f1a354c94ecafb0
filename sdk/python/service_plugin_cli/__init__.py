"""The command ``service-plugin-py``: start, build, test, serve and package a plugin.

Nothing here runs inside the server: the engine is made of `service_plugin` alone. Start at `main.py`; each command is
one function there, and the modules beside it hold what the commands share.
"""

import sys

# Before anything else is imported: an older Python would stop at the first thing it does not know, and not say why.
if sys.version_info < (3, 8):
    sys.exit("service-plugin-py needs Python 3.8 or newer, and this is Python %d.%d" % sys.version_info[:2])

# The same number as in pyproject.toml: a host that is older is refused.
VERSION = "0.3.0"
