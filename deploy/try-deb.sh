#!/usr/bin/env bash
# Installs, upgrades, removes and purges a package in a bare Debian 12, and looks at what is there after each:
#
#   deploy/try-deb.sh dist/rillcast_VERSION-1_amd64.deb [FOLDER]
#
# FOLDER becomes the bare Debian (debootstrap fetches it) and is used again the next time. systemd does not run in it,
# so this shows that the package does without; what systemd does is up to the unit. It has to be root.
set -euo pipefail

package=${1:?usage: deploy/try-deb.sh PACKAGE [FOLDER]}
system=${2:-/var/tmp/rillcast-try-deb}

fail() {
  echo "try-deb: $*" >&2
  exit 1
}
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
server=
at_exit() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  umount "$system/proc"
}
# The engine of plugins is opened through it.
mount -t proc proc "$system/proc"
trap at_exit EXIT

echo "try-deb: first installation"
inside dpkg --purge rillcast >/dev/null 2>&1 || true
inside dpkg --install /package.deb
installed
inside rillcast --version
# As the service does: its user, its file, and the ports of this machine, so other ones.
as_service=(chroot --userspec=rillcast:rillcast "$system" rillcast --config /etc/rillcast/rillcast.toml)
"${as_service[@]}" --listen 127.0.0.1:0 --rtmp-listen 127.0.0.1:0 >/dev/null 2>&1 &
server=$!
healthy=
for _ in $(seq 60); do
  if "${as_service[@]}" health 2>/dev/null; then
    healthy=yes
    break
  fi
  sleep 0.5
done
[ -n "$healthy" ] || fail "the server was not healthy within 30 seconds"
kill "$server"
wait "$server" 2>/dev/null || true
server=

echo "try-deb: upgrade"
echo '# changed by the administrator' >>"$system/etc/rillcast/rillcast.toml"
chmod 755 "$system/etc/rillcast"
touch "$system/var/lib/rillcast/kept"
inside dpkg --install /package.deb
mode_is /etc/rillcast 755 root:rillcast
chmod 750 "$system/etc/rillcast"
installed
grep -q 'changed by the administrator' "$system/etc/rillcast/rillcast.toml" || fail "the configuration was replaced"

echo "try-deb: removal"
inside dpkg --remove rillcast
is_gone /usr/bin/rillcast
is_gone /usr/lib/systemd/system/rillcast.service
is_there /var/lib/rillcast/kept
is_there /etc/rillcast/rillcast.toml
inside getent passwd rillcast >/dev/null || fail "the user is gone before the purge"

echo "try-deb: installation again, and purge"
inside dpkg --install /package.deb
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
