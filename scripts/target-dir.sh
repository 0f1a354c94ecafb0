#!/usr/bin/env bash
# Prints cargo's target folder, wherever the user's settings put it.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo metadata --no-deps --format-version 1 |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])'
