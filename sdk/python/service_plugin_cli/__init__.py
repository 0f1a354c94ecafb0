"""The command ``service-plugin-py``: start, build, test, serve and package a plugin.

Nothing here runs inside the server: the engine is made of `service_plugin` alone. Start at `main.py`; each command is
one function there, and the modules beside it hold what the commands share.
"""

# The same number as in pyproject.toml: a host that is older is refused.
VERSION = "0.3.0"
