#!/bin/bash
# Makes sure that the named tools are there: python, gcc, g++, node, node20, chromium, gdb, ssh, sshd, emacs, valgrind, cross compilers, qemu.  What
# only the system's package manager has is installed when we are root on a Debian-like system; otherwise the command to type is
# printed and we stop.
set -eu

missing=()

check_python() {
    local python=${PYTHON:-python3}
    if ! command -v "$python" >/dev/null; then
        missing+=(python3 python3-venv)
    elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
        echo "ompls: error: $python is $("$python" -V 2>&1): version 3.10 or newer is needed; say 'make PYTHON=python3.12 …'" >&2
        exit 2
    elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        missing+=(python3-venv)
    fi
}

# What packages extensions needs Node 20: Debian 12 has 18, in which `make vsix` ended with "File is not defined".
check_node20() {
    local found machine=x64 place='$HOME/.local/node-24'
    [ "$(uname -m)" = aarch64 ] && machine=arm64
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        echo "ompls: error: node and npm are missing; type 'sudo apt-get install -y nodejs npm', then this again" >&2
        exit 2
    fi
    found=$(node --version)
    if [ "$(echo "${found#v}" | cut -d. -f1)" -lt 20 ]; then
        echo "ompls: error: node is $found: version 20 or newer is needed; get one beside it, and type this again:" >&2
        echo "    npm install --prefix \"$place\" node-linux-$machine@24" >&2
        echo "    export PATH=\"$place/node_modules/node-linux-$machine/bin:\$PATH\"" >&2
        exit 2
    fi
}

for tool in "$@"; do
    case $tool in
        python) check_python ;;
        node20) check_node20 ;;
        node) command -v node >/dev/null && command -v npm >/dev/null || missing+=(nodejs npm) ;;
        *-linux-gnu*-g*) command -v "$tool" >/dev/null || missing+=("${tool##*-}-${tool%-*}") ;; # as Debian's packages
        ssh) command -v ssh >/dev/null || missing+=(openssh-client) ;;
        sshd) PATH="$PATH:/usr/sbin" command -v sshd >/dev/null || missing+=(openssh-server) ;;
        emacs) command -v emacs >/dev/null || missing+=(emacs-nox elpa-eglot) ;;
        qemu-*) command -v "$tool" >/dev/null || missing+=(qemu-user) ;;
        *) command -v "$tool" >/dev/null || missing+=("$tool") ;;
    esac
done

[ ${#missing[@]} -eq 0 ] && exit 0

command="apt-get install -y ${missing[*]}"
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "ompls: installing ${missing[*]}"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive $command >/dev/null && exit 0
fi
echo "ompls: error: ${missing[*]} missing: only the system's package manager has them; type 'sudo $command'" >&2
exit 2
