#!/usr/bin/env bash
# Installs, upgrades, removes and purges a package in a bare Debian 12, and looks at what is there after each:
#
#   deploy/try-deb.sh dist/rillcast_VERSION-1_amd64.deb [FOLDER]
#
# FOLDER becomes the bare Debian (debootstrap fetches it) and is used again the next time. With FROM=OLDER.deb that package
# is installed first, and the upgrade is one from it: with its data, and the migrations since. systemd does not run in it,
# so this shows that the package does without; what systemd does is up to the unit. The server is started as the unit does
# it, takes in a stream from this machine's ffmpeg, and shows it. It has to be root.
set -euo pipefail

package=${1:?usage: [FROM=OLDER_PACKAGE] deploy/try-deb.sh PACKAGE [FOLDER]}
from=${FROM:-$package}
system=${2:-/var/tmp/rillcast-try-deb}

fail() {
  echo "try-deb: $*" >&2
  exit 1
}
repository=$(cd "$(dirname "$0")/.." && pwd)
password=as-long-as-it-has-to-be
name='Kept through upgrades'

# A file of the administrator's that the package has changed, too, is kept: dpkg would ask, and nobody answers here.
install_package() { inside dpkg --force-confold --install "$1"; }
inside() { DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$system" "$@"; }
# mode_is PATH MODE OWNER:GROUP
mode_is() {
  local found
  found=$(inside stat -c '%a %U:%G' "$1")
  [ "$found" = "$2 $3" ] || fail "$1 is $found, not $2 $3"
}
is_there() { [ -e "$system$1" ] || [ -L "$system$1" ] || fail "$1 is missing"; }
is_gone() { if [ -e "$system$1" ] || [ -L "$system$1" ]; then fail "$1 is still there"; fi; }
installed() {
  is_there /usr/bin/rillcast
  is_there /usr/lib/systemd/system/rillcast.service
  is_there /usr/share/man/man1/rillcast.1.gz
  is_there /etc/systemd/system/multi-user.target.wants/rillcast.service
  mode_is /var/lib/rillcast 700 rillcast:rillcast
  mode_is /etc/rillcast 750 root:rillcast
}

[ "$(id -u)" = 0 ] || fail "chroot needs root"
if [ ! -x "$system/usr/bin/dpkg" ]; then
  debootstrap --variant=minbase --include=adduser bookworm "$system"
fi
install -m 644 "$package" "$system/package.deb"
install -m 644 "$from" "$system/from.deb"
server=
publisher=
at_exit() {
  [ -z "$publisher" ] || kill "$publisher" 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  umount "$system/proc"
}
# The engine of plugins is opened through it.
mount -t proc proc "$system/proc"
trap at_exit EXIT

echo "try-deb: first installation"
inside dpkg --purge rillcast >/dev/null 2>&1 || true
install_package /from.deb
installed
inside rillcast --version
# As the service does: its user, its file, and the ports of this machine, so other ones.
as_service=(chroot --userspec=rillcast:rillcast "$system" rillcast --config /etc/rillcast/rillcast.toml)
ready="$system/var/lib/rillcast/ready.json"
# until WHAT COMMAND…: within half a minute
until_it() {
  local what=$1
  shift
  for _ in $(seq 60); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  fail "not within 30 seconds: $what"
}
told() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$ready" "$1"; }
ask() { curl --silent --show-error --fail --max-time 10 "$@"; }
start() {
  rm -f "$ready"
  "${as_service[@]}" --listen 127.0.0.1:0 --rtmp-listen 127.0.0.1:0 --ready-file /var/lib/rillcast/ready.json \
    >"$system/started.log" 2>&1 &
  server=$!
  until_it "the server is healthy" "${as_service[@]}" health
  until_it "the server says where it is" test -s "$ready"
}
stop() {
  kill "$server"
  wait "$server" || fail "the server did not stop well: $?"
  server=
}
is_live() { ask "$(told http)/api/status" | grep -q '"online":true'; }

start
grep -q '/admin/setup#' "$system/started.log" || fail "the first start shows no setup link"
key=$(told streamKey)
ffmpeg -nostdin -loglevel error -re -stream_loop -1 -i "$repository/e2e/clips/plain.flv" -c copy -f flv \
  "$(told rtmp)/$key" &
publisher=$!
until_it "the stream is live" is_live
ask "$(told http)/" | grep -q '<title>' || fail "the page is empty"
until_it "the stream plays" ffprobe -v error -show_streams "$(told http)/hls/stream.m3u8"
ffmpeg -nostdin -v error -xerror -i "$(told http)/hls/stream.m3u8" -t 2 -f null - || fail "the stream cannot be decoded"
kill "$publisher"
wait "$publisher" 2>/dev/null || true
publisher=
stop
"${as_service[@]}" admin reset-password --password "$password" >/dev/null
start
ask --user "admin:$password" --json "{\"value\": \"$name\"}" "$(told http)/api/admin/config/name" >/dev/null
stop

echo "try-deb: upgrade"
echo '# changed by the administrator' >>"$system/etc/rillcast/rillcast.toml"
chmod 755 "$system/etc/rillcast"
touch "$system/var/lib/rillcast/kept"
install_package /package.deb
mode_is /etc/rillcast 755 root:rillcast
chmod 750 "$system/etc/rillcast"
installed
grep -q 'changed by the administrator' "$system/etc/rillcast/rillcast.toml" || fail "the configuration was replaced"
start
[ "$(told streamKey)" = "$key" ] || fail "the stream key is another one"
ask "$(told http)/api/config" | grep -qF "$name" || fail "the settings are gone"
ask --user "admin:$password" "$(told http)/api/admin/status" >/dev/null || fail "the password is another one"
stop

echo "try-deb: removal"
inside dpkg --remove rillcast
is_gone /usr/bin/rillcast
is_gone /usr/lib/systemd/system/rillcast.service
is_there /var/lib/rillcast/kept
is_there /etc/rillcast/rillcast.toml
inside getent passwd rillcast >/dev/null || fail "the user is gone before the purge"

echo "try-deb: installation again, and purge"
install_package /package.deb
installed
is_there /var/lib/rillcast/kept
inside dpkg --purge rillcast
is_gone /var/lib/rillcast
is_gone /etc/rillcast
is_gone /etc/systemd/system/multi-user.target.wants/rillcast.service
is_gone /etc/systemd/system/rillcast.service
if inside getent passwd rillcast >/dev/null; then fail "the user is still there"; fi
if inside getent group rillcast >/dev/null; then fail "the group is still there"; fi
echo "try-deb: everything as it should be"
