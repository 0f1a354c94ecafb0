# Rust, Node and Python, the part of setup.sh that installs them. It finds what is missing or too old, says with which
# commands it would install that, asks once, and runs these very commands.
# shellcheck shell=bash

NODE_WANTED=20.19
PYTHON_WANTED=3.9
RUST_WANTED=$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)
# The Python to build by hand where the system's packages are too old.
PYTHON_SOURCE=3.12.10

# Where this run and earlier ones install to. The Makefile puts the same folders in front.
CARGO_BIN="${CARGO_HOME:-$HOME/.cargo}/bin"
NODE_BIN="$PWD/.tools/node/bin"
export PATH="$NODE_BIN:$CARGO_BIN:$PATH"

at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# What is missing, what would be installed by which command, and what only a person can do.
lacking=()
plans=()
commands=()
by_hand=()

# lack WHAT FOUND: the version that is there and too old, or nothing.
lack() { if [ -n "$2" ]; then lacking+=("$1 (found $2)"); else lacking+=("$1 (missing)"); fi; }
plan() {
  plans+=("$1")
  commands+=("$2")
}

# Without the variable rustup would download the toolchain at the first look, before anybody was asked.
rust_version() { RUSTUP_AUTO_INSTALL=0 rustc --version 2>/dev/null | cut -d' ' -f2; }
node_version() { node --version 2>/dev/null | tr -d v; }
python_version() { python3 -c 'import platform; print(platform.python_version())' 2>/dev/null; }

# The version that the system's packages have; nothing where there are none.
candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p'; }

apt_line() { echo "${1}apt-get -qq update && ${1}env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $2"; }

check_python() {
  local found prefix new
  found=$(python_version) || true
  if [ -n "$found" ] && at_least "$found" "$PYTHON_WANTED"; then return; fi
  lack "Python $PYTHON_WANTED or newer" "$found"
  new=$(candidate python3) || true
  # No archive of Python is pinned here, as there is of Node: every system that still gets updates has a Python that is
  # new enough, so this is about very old ones. What to do there is only named.
  if ! has apt-get || { [ -n "$new" ] && ! at_least "$new" "$PYTHON_WANTED"; }; then
    by_hand+=("Python from your system's packages; where they are too old, from source, with a C compiler and the headers of OpenSSL and zlib:
    curl -fsSL https://www.python.org/ftp/python/$PYTHON_SOURCE/Python-$PYTHON_SOURCE.tgz | tar xz
    cd Python-$PYTHON_SOURCE && ./configure --prefix=\"\$HOME/.local\" && make install
    export PATH=\"\$HOME/.local/bin:\$PATH\"")
  elif prefix=$(root_prefix); then
    plan "Python from the system's packages" "$(apt_line "$prefix" "python3 python3-venv")"
  else
    by_hand+=("Python, as root: apt-get update && apt-get install python3 python3-venv")
  fi
}

check_rust() {
  local found installer rustup=rustup
  found=$(rust_version) || true
  if has cargo && [ -n "$found" ] && at_least "$found" "$RUST_WANTED"; then return; fi
  lack "Rust $RUST_WANTED" "$found"
  if ! has rustup; then
    rustup="$CARGO_BIN/rustup"
    check_downloads
    installer="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs"
    if ! has curl && has wget; then installer="wget -qO- https://sh.rustup.rs"; fi
    # Without a toolchain, because the next command has the right one. A Rust of the system's packages may stay.
    plan "rustup, which installs Rust, into ${CARGO_HOME:-~/.cargo} and ${RUSTUP_HOME:-~/.rustup}" \
      "$installer | RUSTUP_INIT_SKIP_PATH_CHECK=yes sh -s -- -y --profile minimal --default-toolchain none --no-modify-path"
  fi
  plan "Rust $RUST_WANTED, a minute or two" \
    "$rustup toolchain install $RUST_WANTED --profile minimal --component rustfmt --component clippy"
}

# Rustup's installer needs curl or wget itself.
check_downloads() {
  local prefix
  if has curl || has wget; then return; fi
  if has apt-get && prefix=$(root_prefix); then
    plan "curl, which fetches the rest" "$(apt_line "$prefix" "curl ca-certificates")"
  else
    by_hand+=("curl or wget, which fetch the rest, from your system's packages")
  fi
}

check_node() {
  local found prefix new
  found=$(node_version) || true
  if [ -n "$found" ] && at_least "$found" "$NODE_WANTED"; then
    # An older npm is no problem: npm.py then installs npm 11 inside the tree, which Vite 8 needs.
    has npm && return
    lack "npm" ""
    plan "npm into .tools/node" "python3 scripts/node.py npm"
    return
  fi
  lack "Node $NODE_WANTED or newer" "$found"
  new=$(candidate nodejs) || true
  # Packages only where that takes no password: the archive needs no rights at all.
  if [ -n "$new" ] && at_least "$new" "$NODE_WANTED" && prefix=$(root_prefix quietly); then
    plan "Node from the system's packages" "$(apt_line "$prefix" nodejs)"
    # Debian has npm in a package of its own, with hundreds of others.
    has npm || plan "npm into .tools/node" "python3 scripts/node.py npm"
  else
    case "$(uname -m)" in
    x86_64 | aarch64) plan "Node and npm into .tools/node" "python3 scripts/node.py" ;;
    *) by_hand+=("Node $NODE_WANTED or newer, from https://nodejs.org/en/download") ;;
    esac
  fi
}

look_for_toolchains() {
  lacking=() plans=() commands=() by_hand=()
  # Python first: it fetches Node.
  check_python
  check_rust
  check_node
}

print_plan() {
  local i
  for i in "${!plans[@]}"; do
    printf '  %s:\n    %s\n' "${plans[$i]}" "${commands[$i]}" >&2
  done
  for i in "${!by_hand[@]}"; do
    printf '  %s\n' "${by_hand[$i]}" >&2
  done
}

# One question, and none where it has been answered beforehand. End of file is no yes.
has_consent() {
  local answer
  if [ "${YES:-}" = 1 ] || [ "${CI:-}" = true ]; then return 0; fi
  if [ -z "$on_terminal" ]; then
    say "there is no terminal to ask on: run these commands, or the same make with YES=1"
    return 1
  fi
  printf 'Shall I run these commands now? [Y/n] ' >&2
  read -r answer || answer=n
  case "$answer" in
  "" | [Yy]*) return 0 ;;
  esac
  say "nothing was installed; the commands above do it by hand"
  return 1
}

run_plan() {
  local i started output
  output=$(mktemp)
  for i in "${!plans[@]}"; do
    say "installing ${plans[$i]}"
    started=$SECONDS
    if ! bash -euo pipefail -c "${commands[$i]}" >"$output" 2>&1 </dev/null; then
      tail -n 15 "$output" >&2
      rm -f "$output"
      say "that failed (is this machine online?); please run, and then make again: ${commands[$i]}"
      return 1
    fi
    say "done in $((SECONDS - started)) s"
    hash -r
  done
  rm -f "$output"
}

join() {
  local text=$1
  shift
  while [ $# -gt 1 ]; do
    text+=", $1"
    shift
  done
  echo "$text${1:+ and $1}"
}

# Fails when something is missing in the end; then it was said what, and what to do.
ensure_toolchains() {
  look_for_toolchains
  if [ ${#lacking[@]} = 0 ]; then return 0; fi
  say "Rillcast needs $(join "${lacking[@]}"). To install:"
  print_plan
  if [ ${#by_hand[@]} -gt 0 ]; then
    say "not all of this can be done from here: please do it by hand, and then make again"
    return 1
  fi
  has_consent && run_plan || return 1
  look_for_toolchains
  if [ ${#lacking[@]} -gt 0 ]; then
    say "all of that ran, and still there is no $(join "${lacking[@]}"); is another one earlier on the PATH?"
    return 1
  fi
  say "make finds all of this by itself; for other commands: export PATH=\"$NODE_BIN:$CARGO_BIN:\$PATH\""
}
