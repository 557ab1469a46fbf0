#!/bin/bash
# Builds GCC's target epiphany-elf from Debian's source packages into DIRECTORY: epiphany_toolchain.sh DIRECTORY
#
# Each step is done once; a call that was stopped goes on with the step it was in.  What a step says is in DIRECTORY/log.
# Needs apt, a compiler, bison, flex, m4, xz, and the headers of gmp, mpfr and mpc.  DIRECTORY takes 100 MB in the end,
# 3 GB on the way.
set -eu

# GMP, MPFR and MPC have no command, so their headers are asked for.
packages=()
for tool in gcc g++ make bison flex m4 xz; do command -v "$tool" >/dev/null || packages+=("${tool/#xz/xz-utils}"); done
for header in gmp mpfr mpc; do
    echo "#include <$header.h>" | gcc -E - >/dev/null 2>&1 || packages+=("lib$header-dev")
done
if [ ${#packages[@]} -gt 0 ]; then
    echo "ompls: error: ${packages[*]} missing; type 'sudo apt-get install -y ${packages[*]}'" >&2
    exit 2
fi

mkdir -p "${1:?usage: epiphany_toolchain.sh DIRECTORY}"
root=$(cd "$1" && pwd)
work=$root/build
jobs=${JOBS:-1}
mkdir -p "$work/done" "$root/log"
exec 9>"$root/lock"
flock -n 9 || { echo "ompls: error: another call builds in $root; wait for it" >&2; exit 2; }
export PATH="$root/bin:$PATH"

steps=(sources binutils compiler library support)
count=0
for step in "${steps[@]}"; do
    count=$((count + 1))
    [ -e "$work/done/$step" ] && continue
    echo "ompls: $count of ${#steps[@]}: $step (its messages: $root/log/$step)"
    begin=$SECONDS
    if ! "$BASH" "$(dirname "$0")/epiphany_steps.sh" "$step" "$root" "$jobs" >"$root/log/$step" 2>&1 9>&-; then
        tail -5 "$root/log/$step" >&2
        echo "ompls: error: $step failed: the whole text is in $root/log/$step; the same call goes on from there" >&2
        exit 2
    fi
    touch "$work/done/$step"
    echo "ompls: $step took $((SECONDS - begin)) s"
done
touch "$root/ready" # before that, nobody uses it
"$root/bin/epiphany-elf-gcc" --version | head -1
