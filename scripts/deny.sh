#!/usr/bin/env bash
# Checks licences, banned crates and sources against deny.toml. Advisories are left out: their database
# has to be fetched from outside the package registry.
#
# cargo-deny is no part of cargo; it is built once into the cache. Building it may take longer than the
# stage has, so the attempt is bounded, keeps what it compiled, and the next one goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD_SECONDS=75
VERSION=0.20
SKIPPED=77

tools="${XDG_CACHE_HOME:-$HOME/.cache}/rillcast/tools"
export PATH="$tools/bin:$PATH"
if ! command -v cargo-deny >/dev/null; then
  if ! CARGO_TARGET_DIR="$tools/build" timeout "$BUILD_SECONDS" \
    cargo install --quiet --locked --root "$tools" --version "^$VERSION" cargo-deny; then
    echo "cargo-deny could not be installed in $BUILD_SECONDS s; install it with: cargo install --locked cargo-deny"
    exit "$SKIPPED"
  fi
  rm -rf "$tools/build"
fi
# Wrappers are named before their crates arrive.
exec cargo deny --offline check --allow unused-wrapper licenses bans sources
