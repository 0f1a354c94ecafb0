#!/usr/bin/env bash
# Runs a command beside a temporary PostgreSQL of its own:
#
#   scripts/postgres.sh with [--listen ADDRESS:PORT] -- COMMAND…
#
# The server listens on a Unix socket in a fresh folder and on no port, knows nothing of clusters that
# already run here, and is stopped and deleted when the command ends, however it ends.
# The command finds it in TEST_POSTGRES_URL.
# With --listen it is there as well, for everybody in the networks of this machine.
set -euo pipefail

fail() {
  echo "postgres.sh: $*" >&2
  exit 1
}

usage="usage: scripts/postgres.sh with [--listen ADDRESS:PORT] -- COMMAND…"
[ "${1:-}" = with ] || fail "$usage"
shift
address= port=5432
if [ "${1:-}" = --listen ]; then
  address=${2%:*} port=${2##*:}
  shift 2
fi
if [ "${1:-}" != -- ] || [ $# -lt 2 ]; then
  fail "$usage"
fi
shift

# Debian keeps the server programs of each version out of the PATH; the newest one serves.
server=$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1 || true)
server=${server:-$(command -v initdb || true)}
[ -n "$server" ] || fail "PostgreSQL is missing, and the store is tested on it too; install it with: apt-get install postgresql"
bin=$(dirname "$(readlink -f "$server")")

folder=$(mktemp -d "${TMPDIR:-/tmp}/rillcast-pg.XXXXXX")
as=(env -i "PATH=$PATH" LANG=C.UTF-8)
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to run as root.
  chown postgres: "$folder"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups "${as[@]}")
fi

child=
stop() {
  trap '' INT TERM HUP
  if [ -n "$child" ] && kill "$child" 2>/dev/null; then
    wait "$child" 2>/dev/null || true
  fi
  (cd / && "${as[@]}" "$bin/pg_ctl" -D "$folder/db" -m immediate stop >/dev/null 2>&1) || true
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# From / because the postgres user may not be able to enter the folder we are in.
(
  cd /
  "${as[@]}" "$bin/initdb" -D "$folder/db" -U test -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$folder/log" 2>&1 &&
    echo "host all all samenet trust" >>"$folder/db/pg_hba.conf" &&
    "${as[@]}" "$bin/pg_ctl" -D "$folder/db" -l "$folder/db/log" -w -t 60 \
      -o "-c listen_addresses='$address' -p $port -k $folder -c fsync=off -c max_connections=200" start >>"$folder/log" 2>&1
) || {
  cat "$folder/log" "$folder/db/log" >&2 2>/dev/null || true
  fail "the temporary PostgreSQL did not start"
}

# Debian's psql on the usual path is a script in Perl that looks for this one, which takes longer than the query.
export PATH="$bin:$PATH"
export TEST_POSTGRES_URL="postgres://test@localhost:$port/postgres?host=$folder"

# In the background, because bash runs a trap only between commands: a signal must not wait for the command.
"$@" &
child=$!
code=0
wait "$child" || code=$?
child=
exit "$code"
