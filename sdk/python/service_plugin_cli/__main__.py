"""``python3 -m service_plugin_cli`` is ``service-plugin-py``, for when that is not on the PATH."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
