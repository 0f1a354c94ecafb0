#!/usr/bin/env bash
# Checks the crates against deny.toml:
#
#   scripts/deny.sh              licences, banned crates and sources; nothing but the package registry is needed
#   scripts/deny.sh advisories   also known vulnerabilities, whose database is fetched from github.com
#
# cargo-deny is no part of cargo; it is built once into the cache, without optimising: the check is short. The
# attempt is bounded and keeps what it compiled, so that the next one goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."

# About three times what two cores need when nothing is there yet.
BUILD_SECONDS=400
VERSION=0.20
SKIPPED=77

case "${1:-}" in
"" | advisories) ;;
*)
  echo "usage: scripts/deny.sh [advisories]" >&2
  exit 2
  ;;
esac

tools="${XDG_CACHE_HOME:-$HOME/.cache}/rillcast/tools"
export PATH="$tools/bin:$PATH"
if ! command -v cargo-deny >/dev/null; then
  if ! CARGO_TARGET_DIR="$tools/build" CARGO_PROFILE_DEV_DEBUG=0 timeout "$BUILD_SECONDS" \
    cargo install --quiet --debug --locked --root "$tools" --version "^$VERSION" cargo-deny; then
    echo "cargo-deny could not be installed in $BUILD_SECONDS s; install it with: cargo install --locked cargo-deny"
    exit "$SKIPPED"
  fi
  rm -rf "$tools/build"
fi
# The check looks at the crates of every platform; a build fetches those of this one only.
cargo fetch --quiet --locked
# Wrappers are named before their crates arrive.
cargo deny --offline check --allow unused-wrapper licenses bans sources
if [ "${1:-}" = advisories ]; then
  cargo deny check advisories
fi
