#!/usr/bin/env bash
# Fuzzes every target of fuzz/ for the given number of seconds (60), starting from its corpus.
#
# Needs the nightly toolchain and cargo-fuzz; cargo-fuzz is installed into the cache when absent.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
SKIPPED=77

skip() {
  echo "fuzzing is left out: $*"
  exit "$SKIPPED"
}

[ -f fuzz/Cargo.toml ] || skip "fuzz/ holds no target"
cargo +nightly --version >/dev/null 2>&1 || skip "no nightly toolchain; install it with: rustup toolchain install nightly"

cache="${XDG_CACHE_HOME:-$HOME/.cache}/rillcast"
export PATH="$cache/tools/bin:$PATH"
if ! command -v cargo-fuzz >/dev/null; then
  timeout 200 cargo install --quiet --locked --root "$cache/tools" cargo-fuzz ||
    skip "cargo-fuzz could not be installed; install it with: cargo install --locked cargo-fuzz"
fi

# Nightly has a target folder of its own: two compilers in one would rebuild everything in turns.
nightly=$(rustc +nightly --version | tr -c 'A-Za-z0-9.\n' '-')
export CARGO_TARGET_DIR="$cache/fuzz-$nightly"
for target in $(cargo +nightly fuzz list); do
  echo "fuzzing $target for $seconds s"
  # New finds go to a scratch folder: a run leaves the committed corpus as it was.
  finds=$(mktemp -d)
  mkdir -p "fuzz/corpus/$target"
  cargo +nightly fuzz run "$target" "$finds" "fuzz/corpus/$target" -- \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
  rm -rf "$finds"
done
