#!/usr/bin/env bash
# Runs a command beside a temporary S3 server, versitygw over a folder, with one empty bucket:
#
#   scripts/versitygw.sh with -- COMMAND…
#
# The server is built from its Go module on first use, in the cache. It listens on a free port of the loopback address,
# and is stopped and deleted with its folder when the command ends, however it ends. Where it can be neither found nor
# built, this ends with 77, as a test that was left out.
# The command finds it in TEST_S3_URL: http://KEY:SECRET@127.0.0.1:PORT/BUCKET.
set -euo pipefail

VERSION=v1.8.0
BUILD_SECONDS=900
SKIPPED=77

fail() {
  echo "versitygw.sh: $*" >&2
  exit 1
}

skip() {
  echo "versitygw.sh: $*" >&2
  exit "$SKIPPED"
}

if [ "${1:-}" != with ] || [ "${2:-}" != -- ] || [ $# -lt 3 ]; then
  fail "usage: scripts/versitygw.sh with -- COMMAND…"
fi
shift 2

tools="${XDG_CACHE_HOME:-$HOME/.cache}/rillcast/versitygw-$VERSION"
server="$tools/versitygw"
if [ ! -x "$server" ]; then
  command -v go >/dev/null || skip "Go is missing, and buckets are tested on a server written in it; install it with: apt-get install golang-go"
  mkdir -p "$tools"
  # Checked against the sums that Go keeps of every module.
  GOBIN="$tools" GOFLAGS=-trimpath timeout "$BUILD_SECONDS" go install "github.com/versity/versitygw/cmd/versitygw@$VERSION" >&2 ||
    skip "versitygw could not be built in $BUILD_SECONDS s; build it with: GOBIN=$tools go install github.com/versity/versitygw/cmd/versitygw@$VERSION"
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/rillcast-s3.XXXXXX")
gateway=
child=
stop() {
  trap '' INT TERM HUP
  local pid
  for pid in "$child" "$gateway"; do
    if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then
      wait "$pid" 2>/dev/null || true
    fi
  done
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

bucket=files
key=test
secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
# A bucket is a folder. What S3 knows of a file besides is in a folder of its own, because not every file system has
# attributes for it.
mkdir -p "$folder/buckets/$bucket" "$folder/metadata"

# It cannot choose a port itself; one that was free a moment ago may be taken, so there are some tries.
port=
for _ in 1 2 3; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  ROOT_ACCESS_KEY="$key" ROOT_SECRET_KEY="$secret" "$server" --port "127.0.0.1:$port" --quiet \
    posix --sidecar "$folder/metadata" "$folder/buckets" >"$folder/log" 2>&1 &
  gateway=$!
  for _ in $(seq 300); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break 2; fi
    if ! kill -0 "$gateway" 2>/dev/null; then break; fi
    sleep 0.05
  done
  kill "$gateway" 2>/dev/null && wait "$gateway" 2>/dev/null || true
  gateway=
done
[ -n "$gateway" ] || {
  cat "$folder/log" >&2
  fail "the temporary S3 server did not start"
}
export TEST_S3_URL="http://$key:$secret@127.0.0.1:$port/$bucket"

# In the background, because bash runs a trap only between commands: a signal must not wait for the command.
"$@" &
child=$!
code=0
wait "$child" || code=$?
child=
exit "$code"
