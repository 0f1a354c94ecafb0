#!/usr/bin/env bash
# Fuzzes every target of fuzz/ for the given number of seconds (60), starting from its corpus: all are built at
# once, and then as many run side by side as there are cores.
#
# Needs the nightly toolchain and cargo-fuzz; cargo-fuzz is installed into the cache when absent.
set -euo pipefail
cd "$(dirname "$0")/.."

export seconds=${1:-60}
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
machine=$(rustc +nightly -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR="$cache/fuzz-$nightly"
cargo +nightly fuzz build --target "$machine"
targets=$(cargo +nightly fuzz list)

# Runs one target; what it says is kept until all have ended, so that no two talk at once.
run() {
  local target=$1
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target" "$scratch/$target"
  # New finds go to the first folder: a run leaves the committed corpus as it was.
  if "$programs/$target" "$scratch/$target" "fuzz/corpus/$target" -artifact_prefix="fuzz/artifacts/$target/" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 >"$scratch/$target.log" 2>&1; then
    echo "$target: $(grep '^Done ' "$scratch/$target.log")"
  else
    echo "$target: failed"
    touch "$scratch/$target.failed"
  fi
}
export -f run
export programs="$CARGO_TARGET_DIR/$machine/release"
# The sanitizer takes what Rust shares between crates for a mistake; cargo-fuzz sets the same.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"
scratch=$(mktemp -d)
export scratch
trap 'rm -rf "$scratch"' EXIT

echo "fuzzing $(wc -w <<<"$targets") targets for $seconds s each, $(nproc) at a time"
xargs --max-procs="$(nproc)" --max-args=1 bash -c 'run "$1"' run <<<"$targets"

failed=0
for target in $targets; do
  if [ -e "$scratch/$target.failed" ]; then
    failed=1
    echo "--- $target failed:"
    cat "$scratch/$target.log"
    echo "--- $target failed; its inputs are kept in fuzz/artifacts/$target/"
  fi
done
exit "$failed"
