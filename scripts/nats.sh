#!/usr/bin/env bash
# Runs a command beside a temporary NATS server with JetStream:
#
#   scripts/nats.sh with -- COMMAND…
#
# The server listens on a free port of the loopback address, keeps what it keeps in a fresh folder, and is stopped and
# deleted when the command ends, however it ends.
# The command finds it in RILLCAST_TEST_NATS.
set -euo pipefail

fail() {
  echo "nats.sh: $*" >&2
  exit 1
}

if [ "${1:-}" != with ] || [ "${2:-}" != -- ] || [ $# -lt 3 ]; then
  fail "usage: scripts/nats.sh with -- COMMAND…"
fi
shift 2

# Debian has servers where only root looks.
server=$(PATH="$PATH:/usr/sbin" command -v nats-server || true)
[ -n "$server" ] || fail "NATS is missing, and what machines tell each other is tested on it; install it with: apt-get install nats-server"

folder=$(mktemp -d "${TMPDIR:-/tmp}/rillcast-nats.XXXXXX")
nats=
child=
stop() {
  trap '' INT TERM HUP
  local pid
  for pid in "$child" "$nats"; do
    if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then
      wait "$pid" 2>/dev/null || true
    fi
  done
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Port -1 is any free one, told in the folder. Memory is set aside for every stream of every test, and hardly used.
cat >"$folder/conf" <<CONF
listen: "127.0.0.1:-1"
ports_file_dir: "$folder/ports"
jetstream { store_dir: "$folder/streams", max_memory_store: 200GB, max_file_store: 1GB }
CONF
mkdir "$folder/ports"
"$server" -c "$folder/conf" >"$folder/log" 2>&1 &
nats=$!

url=
for _ in $(seq 300); do
  url=$(cat "$folder/ports/"*.ports 2>/dev/null | grep -o 'nats://127\.0\.0\.1:[0-9]*' | head -n 1 || true)
  if [ -n "$url" ] || ! kill -0 "$nats" 2>/dev/null; then break; fi
  sleep 0.05
done
[ -n "$url" ] || {
  cat "$folder/log" >&2
  fail "the temporary NATS did not start"
}
export RILLCAST_TEST_NATS="$url"

# In the background, because bash runs a trap only between commands: a signal must not wait for the command.
"$@" &
child=$!
code=0
wait "$child" || code=$?
child=
exit "$code"
