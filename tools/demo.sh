#!/bin/bash
# `make demo`: the whole way of one small program, on the embedded device, which needs nothing but gcc.
set -eu
ompls="$1/ompls"
file=examples/saxpy.c

say() { printf '\n== %s\n   $ %s\n' "$1" "$2"; }

say "1. Is anything wrong with the target region?" "ompls check $file"
"$ompls" check "$file"
echo "   nothing found"

say "2. The CUDA kernel that it becomes" "ompls preview --device cuda $file"
"$ompls" preview --device cuda "$file"

say "3. Run it on cudasim: the same CUDA, on the CPU, in a memory of its own" "ompls run --device cudasim --profile $file"
"$ompls" run --device cudasim --profile "$file"
