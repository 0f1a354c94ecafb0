#!/usr/bin/env bash
# Makes this machine ready, and says nothing when it already is:
#
#   scripts/setup.sh toolchains   Rust, Node and Python
#   scripts/setup.sh build        also what building and running the server needs
#   scripts/setup.sh cluster      also what several servers need that run as one here
#   scripts/setup.sh test         also what the tests need
#   scripts/setup.sh test-all     also what the long tests need
#
# Toolchains are installed after one question; YES=1 answers it, and so does CI=true. Debian packages are installed only
# when what they bring is absent, each with its reason. Without root and without sudo, or on another
# system, the exact packages are printed and the run goes on as far as it can.
set -euo pipefail
cd "$(dirname "$0")/.."

broken=0
packages=()
reasons=()

# Looked at once: inside of pipes and with logs nobody sees the terminal.
on_terminal=
if [ -t 0 ] && [ -t 2 ]; then on_terminal=yes; fi

say() { echo "set-up: $*" >&2; }
problem() { say "$@"; broken=1; }
has() { command -v "$1" >/dev/null 2>&1; }

# shellcheck source=scripts/toolchains.sh
. scripts/toolchains.sh

# need PACKAGE REASON TEST…: remember the package unless the test succeeds.
need() {
  local package=$1 reason=$2
  shift 2
  if ! "$@"; then
    packages+=("$package")
    reasons+=("$reason")
  fi
}

compiles_c() {
  has cc && cc -E -x c - <<<'#include <stdlib.h>' >/dev/null 2>&1
}
has_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || has initdb; }
has_browser() { has chromium || has chromium-browser; }
# Debian has servers where only root looks.
has_program() { has "$1" || [ -x "/usr/sbin/$1" ]; }
has_venv() { python3 -c 'import ensurepip' 2>/dev/null; }
has_emoji() { compgen -G '/usr/share/fonts/*/noto/NotoColorEmoji.ttf' >/dev/null; }

# No cmake and no pkg-config: cryptography, SQLite and the allocator are compiled by cc alone.
look_for_packages() {
  if ! compiles_c; then
    packages+=(gcc libc6-dev)
    reasons+=("compiles and links the C parts: cryptography, SQLite and the allocator" "the C headers for it")
  fi
  need python3-venv "installs the tool that builds the engine of plugins" has_venv
  [ "$1" = build ] && return
  need postgresql "the store is tested on PostgreSQL as well as on SQLite" has_postgres
  need nats-server "what machines tell each other is tested on it" has_program nats-server
  need haproxy "the proxies of the guide are tried" has_program haproxy
  [ "$1" = cluster ] && return
  need chromium "the pages are tested in a real browser" has_browser
  need fonts-noto-color-emoji "emoji in screenshots" has_emoji
  need openssl "certificates for the TLS tests" has openssl
  need curl "an HTTP client that is not ours" has curl
  need sqlite3 "looks into the database from outside" has sqlite3
  need nginx "the proxies of the guide are tried" has_program nginx
  need ffmpeg "pushes streams and reads back what we serve" has ffmpeg
  [ "$1" = test ] && return
  need varnish "the cache of the guide for many machines is tried" has_program varnishd
}

# What stands before a command to run it as root; fails when there is no way. On a terminal sudo may ask for a password,
# unless it has to be quiet.
root_prefix() {
  if [ "$(id -u)" = 0 ]; then
    echo ""
  elif has sudo && sudo -n true 2>/dev/null; then
    echo "sudo -n "
  elif has sudo && [ -n "$on_terminal" ] && [ "${1:-}" != quietly ]; then
    echo "sudo "
  else
    return 1
  fi
}

as_root() {
  local prefix
  prefix=$(root_prefix) || return 1
  # In words on purpose: it is none, one or two.
  # shellcheck disable=SC2086
  $prefix "$@"
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" >>"$log" 2>&1
}

# A server for tests is started when they need it: no cluster that runs all day on a developer's machine.
# Where postgresql-common is already installed its owner has decided, and nothing is changed.
without_main_cluster() {
  local conf=/etc/postgresql-common/createcluster.conf
  [ ! -e /etc/postgresql-common ] || return 0
  as_root mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' | as_root tee "$conf" >/dev/null
}

# The same for proxies and NATS: they are started by tests, and neither now nor at the next start of the machine.
POLICY=/usr/sbin/policy-rc.d
hold_services() {
  [ ! -e "$POLICY" ] || return 0
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
  holds_services=1
}
release_services() {
  [ -z "${holds_services:-}" ] || as_root rm -f "$POLICY"
  holds_services=
  local service
  for service in nginx nats-server haproxy varnish; do
    case " ${packages[*]} " in *" $service "*) has systemctl && as_root systemctl disable --quiet "$service" 2>/dev/null ;; esac
  done
  return 0
}

install_packages() {
  local line="apt-get install --no-install-recommends ${packages[*]}"
  local i
  for i in "${!packages[@]}"; do
    say "${packages[$i]} is missing: ${reasons[$i]}"
  done
  if ! has apt-get; then
    say "this is no Debian: please install the like of: ${packages[*]}"
    return 1
  fi
  if ! root_prefix >/dev/null; then
    say "not root, and sudo would have to ask for a password; please run as root: $line"
    return 1
  fi
  log=$(mktemp)
  trap 'rm -f "$log"; release_services' EXIT
  say "running $line, which takes a minute or two"
  case " ${packages[*]} " in *" postgresql "*) without_main_cluster ;; esac
  hold_services
  local code=0
  { apt update && apt install -y --no-install-recommends "${packages[@]}"; } || code=$?
  release_services
  if [ "$code" != 0 ]; then
    tail -n 15 "$log" >&2
    say "that failed (is this machine online?); please run as root: apt-get update && $line"
    return 1
  fi
}

# The same browser without windows, menus and their processes makes the tests a fifth faster. It is only a comfort:
# where its package is not known or cannot be installed, nothing is said and chromium does.
install_comforts() {
  if has chromium-headless-shell || ! has apt-cache || ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    return
  fi
  root_prefix quietly >/dev/null || return 0
  log=/dev/null apt install -y --no-install-recommends chromium-headless-shell || true
}

case "${1:-}" in
toolchains | build | cluster | test | test-all) ;;
*)
  echo "usage: scripts/setup.sh toolchains | build | cluster | test | test-all" >&2
  exit 2
  ;;
esac

ensure_toolchains || exit 1
if [ "$1" = toolchains ]; then exit 0; fi
look_for_packages "$1"
if [ ${#packages[@]} -gt 0 ] && ! install_packages; then
  if [ "${CI:-}" = true ]; then
    problem "a requirement of '$1' is missing, and in CI nothing may be left out"
  elif ! compiles_c; then
    problem "nothing can be built without a C compiler"
  fi
fi
case "$1" in test*) install_comforts ;; esac
exit "$broken"
