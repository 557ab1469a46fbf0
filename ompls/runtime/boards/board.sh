# board.sh -- what is done on a board.  Each call of ssh.py sends this text after a line
#     set -- FUNCTION MARK DIRECTORY ARGUMENTS
# MARK is the connection's: processes of programs have it in their environment, and what is theirs alone lies in run-MARK.
# Only what POSIX has is used, and `head -c`, `setsid`, and /proc.

function=$1 mark=$2 directory=$3 stamp=
shift 3
umask 077
export LC_ALL=C

say() { printf '%s\n' "$*"; }
fail() { say "ompls: error: $*" >&2; exit 125; }

# What shells write at their start is before this line, and is skipped; on standard error, too, where that is the user's.
begin() { printf '\n%s\n' "$mark"; }
begin_both() { begin; begin >&2; }

# A shell of this connection's that is stopped, as $stopped.  While there is one `watch` is silent: else everybody would wait
# for ever.  What has got the number of one that has ended does other things.
is_stopped() {
    while read -r stopped; do
        read -r state <"/proc/$stopped/stat" || continue
        case ${state##*) } in T*) ! grep -aq 'IFS= read -r n' "/proc/$stopped/cmdline" || return 0 ;; esac
    done
    return 1
} 2>/dev/null <"$run/shells"

# The directory: a new one, or one that is ours: by its marker, or because nothing is in it but what we keep there
# (before there were markers that was all).  Of a directory that was there before us the mode is its owner's.
marker=.ompls-board
enter() {
    another="choose another one with --dir"
    case $directory in
    /*) ;;
    *)
        case $HOME in /*) ;; *) fail "the board has no home directory (HOME): choose an absolute one with --dir" ;; esac
        directory=$HOME/$directory
        ;;
    esac
    while case $directory in */ | */.) ;; *) false ;; esac; do directory=${directory%/*}; done
    [ ! -L "$directory" ] || fail "the board's $directory is a symbolic link: $another"
    mkdir -p "$directory" || fail "the board has no directory $directory: $another"
    [ -O "$directory" ] || fail "the board's $directory belongs to somebody else: $another"
    cd "$directory" || fail "the board's $directory cannot be used: $another"
    asked=$directory directory=$(pwd -P)
    case $directory in / | "$(cd "${HOME:-/}" && pwd -P)") fail "the board's $directory is no directory of its own: $another" ;; esac
    case $(ls -ld .) in
    ?????w* | ????????w*) fail "others can write to the board's $directory: say chmod 700 there, or $another" ;;
    esac
    keep_others_out
    if [ ! -e "$marker" ]; then
        others && fail "the board's $directory has files that are not ours: $another"
        true >"$marker" || fail "the board cannot write to $directory: free some space there"
    fi
    run=$directory/run-$mark
    [ ! -d "$run" ] || echo $$ >>"$run/shells"
}

# What lies in the directory is executed: nobody but we and root may have put it there, or may put another one in its place, where
# it is or on the way that was asked for.
keep_others_out() {
    for part in programs far runtime bundles plans objects cache; do
        [ ! -L "$part" ] && { [ ! -e "$part" ] || [ -O "$part" ]; } ||
            fail "the board's $directory/$part is not ours: remove it, or $another"
    done
    we=$(id -u)
    set --
    for at in "$asked" "$directory"; do
        while [ -n "$at" ]; do
            at=${at%/*}
            set -- "$@" "${at:-/}"
        done
    done
    while read -r mode links owner group above; do
        case $owner in
        0 | "$we") ;;
        *) fail "above the board's $directory a directory belongs to somebody else ($mode $above): $another" ;;
        esac
        case $mode in
        l* | ?????????[tT]*) continue ;; # nobody replaces what others have in it
        ?????w????+* | ????????w*) ;;
        ?????w*) ! is_ours_alone "$group" || continue ;;
        *) continue ;;
        esac
        fail "others can write above the board's $directory ($mode $above): say chmod go-w there, or $another"
    done <<END
$(ls -ldn "$@")
END
}

# A group with nobody in it but us, as many systems give one to each user, of the same name: not all list their users.
is_ours_alone() {
    name=$(id -un)
    [ "$1" = "$(id -g "$name")" ] && entry=$(getent group "$1") && [ "${entry%%:*}" = "$name" ] || return 1
    [ -z "${entry##*:}" ] || [ "${entry##*:}" = "$name" ] || return 1
    ! getent passwd | cut -d : -f 3,4 | grep -x "[0-9]*:$1" | grep -qvx "$we:$1"
}

# Whether the directory has, as far as can be said, what is not ours.
others() {
    { find . -mindepth 1 -maxdepth 2 || say unknown; } 2>/dev/null | grep -Evxq \
        "\\./($marker|cache(/.*)?|(run|put)-ompls[0-9a-f]{32}(/.*)?|(programs|far|runtime|bundles|plans|objects)(/([0-9a-f]{32}|@).*)?)"
    [ $? -ne 1 ]
}

# The processes of this connection's programs, but for those that look for them.
processes() { grep -lsa "OMPLS_BOARD_RUN=$mark" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'; }
end_processes() {
    for round in 1 2 3 4 5; do
        found=$(processes)
        [ -n "$found" ] || break
        kill -KILL $found 2>/dev/null
    done
    is_stopped && kill -KILL "$stopped"
    rm -rf "$run"
}

# Lasts as long as the connection: a line of standard input is a sign of life, or a signal for the program.
watch() {
    enter
    trap '' HUP INT PIPE TERM
    parent=$$
    (   # nothing heard for a while: the network may be gone without anybody being told
        silent=0
        trap 'silent=0' USR1
        while [ "$silent" -lt "$1" ] && kill -0 "$parent" 2>/dev/null; do
            sleep 1 </dev/null >/dev/null 2>&1 &
            wait $!
            silent=$((silent + 1))
        done
        end_processes
        kill -KILL "$parent" 2>/dev/null
    ) </dev/null >/dev/null 2>&1 &
    guard=$! # it is there before what it removes
    mkdir -p "$run" || fail "the board cannot write to $directory: free some space there"
    : >"$run/alive" # what nobody has touched for a day was left by a board that lost its power
    find "$directory" -maxdepth 2 -path '*/run-*/alive' -mtime +1 -exec sh -c 'rm -rf "${1%/alive}"' sh {} \; 2>/dev/null
    begin
    while read -r word; do
        kill -USR1 "$guard" 2>/dev/null
        true >"$run/alive"
        case $word in
        INT | TERM | HUP)
            for try in 1 2 3 4 5; do [ -s "$run/pid" ] || sleep 1; done # it is told as begun before it is there
            [ -s "$run/pid" ] && kill -s "$word" -- "-$(cat "$run/pid")"
            ;;
        KILL) end_processes; mkdir -p "$run" ;;
        esac
        is_stopped || say alive
    done 2>/dev/null
    end_processes
    kill -KILL "$guard" 2>/dev/null
}

# What a program that is built here depends on: its text is put behind an @ in a name.  No tool is started for it.
stamp() {
    [ -n "$stamp" ] || stamp=$(ls -lL $(command -v gcc) $(command -v python3) /lib*/libc.so.6 /lib/*/libc.so.6 \
        /usr/lib/*/libcuda.so.1 /usr/lib/*/tegra/libcuda.so.1 2>/dev/null | cksum | tr ' ' -)
}
full() {
    full=$1
    case $1 in *@*) stamp; full=${1%%@*}@$stamp${1#*@} ;; esac
}

# have NAME...: the names that are not there, a line each; then the stamp.
have() {
    enter
    begin
    for name; do
        full "$name"
        if [ -e "$full" ]; then touch "$full" "${full%/*}"; else say "$full"; fi
    done
    stamp
    say "stamp $stamp"
}

# put NAME SIZE KIND: the bytes that follow, as a file or as the archive of a directory.
put() {
    enter
    rm -rf "put-$mark"
    mkdir -p "put-$mark" "${1%/*}" || fail "the board cannot write to $directory: free some space there"
    if [ "$3" = archive ]; then
        mkdir "put-$mark/x"
        head -c "$2" | tar -xzof - -C "put-$mark/x" && [ -e "put-$mark/x/.whole" ]
    else
        head -c "$2" >"put-$mark/x" && [ "$(wc -c <"put-$mark/x")" -eq "$2" ] && chmod 700 "put-$mark/x"
    fi || { rm -rf "put-$mark"; fail "the board could not keep what it was sent in $directory: free some space there"; }
    [ -e "$1" ] || mv "put-$mark/x" "$1"
    rm -rf "put-$mark"
    begin
}

# build RUNTIME BUNDLE OUTPUT WORDS...: by our runtime there, which was sent.
build() {
    enter
    begin_both
    export OMPLS_CACHE_DIR="$directory/cache" PYTHONPATH="$directory/$1" PYTHONDONTWRITEBYTECODE=1 PYTHONSAFEPATH=1
    bundle=$2 output=$3
    shift 3
    mkdir -p "${output%/*}"
    find programs far runtime bundles -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + 2>/dev/null # nobody used them
    # OMPLS_BOARD_RUN: it ends with the connection
    OMPLS_BOARD_RUN=$mark python3 -m ompls.runtime build "$bundle" -o "$output.$mark" "$@" </dev/null
    code=$?
    [ "$code" -eq 0 ] && mv "$output.$mark" "$output"
    rm -f "$output.$mark"
    exit "$code"
}

# plan DIRECTORY OUTPUT OBJECTS: by gcc and sh, as DIRECTORY/build.sh says; OBJECTS are there for other programs, too.
plan() {
    enter
    begin_both
    mkdir -p "${2%/*}" "$3" && cd "$1" || exit 125
    OMPLS_BOARD_RUN=$mark sh ./build.sh "$directory/$3" </dev/null
    code=$?
    [ "$code" -eq 0 ] && mv -f program "$directory/$2"
    cd "$directory" && rm -rf "$1"
    find programs far runtime bundles plans objects -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + 2>/dev/null
    exit "$code"
}

# run LINES PROGRAM NAME=VALUE... -- ARGUMENTS: standard streams are the program's.  In a process group of its own.
# It ends with 127, and does not begin, when the program is not there.
run() {
    enter
    full "$2"
    [ -e "$full" ] || exit 127
    touch "$full" "${full%/*}"
    lines=$1 program=$directory/$full
    shift 2
    while [ "$1" != -- ]; do
        export "$1"
        shift
    done
    shift
    [ -n "$OMPLS_TRACE" ] && export OMPLS_TRACE="$run/trace"
    export OMPLS_BOARD_RUN="$mark"
    unset LC_ALL
    [ -d "$run" ] || fail "the connection was lost before the program began"
    cd || exit 125
    begin_both
    if [ "$lines" = lines ] && command -v stdbuf >/dev/null; then set -- stdbuf -oL "$program" "$@"; else set -- "$program" "$@"; fi
    setsid sh -c 'echo $$ >"$0"; exec "$@"' "$run/pid" "$@"
    code=$?
    say "$code" >"$run/code"
    exit "$code"
}

# code: how the program ended, which ssh cannot say of 255.
code() {
    enter
    [ -e "$run/code" ] || fail "the program's connection ended before it did: what ran there is ended; try again"
    begin
    cat "$run/code"
}

# serve PROGRAM NAME=VALUE...: the far side of a device; standard input and output are its line.
serve() {
    enter
    [ -d "$run" ] || fail "the connection was lost before the far side began"
    program=$directory/$1
    shift
    for pair; do export "$pair"; done
    export OMPLS_BOARD_RUN="$mark"
    cd || exit 125
    begin_both
    unset LC_ALL
    exec "$program"
}

# get: what the program's trace is, its size first.
get() {
    enter
    begin
    [ -e "$run/trace" ] || { say 0; return; }
    wc -c <"$run/trace"
    cat "$run/trace"
}

# facts: what the board has, as `name: value`.
facts() {
    enter
    begin
    say "architecture: $(uname -m)"
    say "system: $( (. /etc/os-release; say "$PRETTY_NAME") 2>/dev/null)"
    say "kernel: $(uname -r)"
    say "cores: $(getconf _NPROCESSORS_ONLN)"
    say "libc: $(getconf GNU_LIBC_VERSION 2>/dev/null)"
    say "gcc: $(gcc -dumpfullversion 2>/dev/null)"
    say "python: $(python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)"
    say "memory: $(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
    say "disk: $(df -Pk . | awk 'NR == 2 { print $4 }')"
    say "model: $(tr -d '\000' </proc/device-tree/model 2>/dev/null)"
    say "chip: $(tr '\000' '\n' </proc/device-tree/compatible 2>/dev/null | sed -n 's/^nvidia,\(tegra[0-9]*\)$/\1/p' | head -n 1)"
    say "jetpack: $(sed -n '1s/^# \(R[0-9]*\) (release), REVISION: \([0-9.]*\).*/\1.\2/p' /etc/nv_tegra_release 2>/dev/null)"
    cuda=$(ls -d /usr/lib/*/tegra/libcuda.so.1 /usr/lib/*/nvidia/libcuda.so.1 /usr/lib/*/libcuda.so.1 2>/dev/null | head -n 1)
    say "libcuda: $cuda"
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
    say "cuda: $([ -n "$nvcc" ] && "$nvcc" --version | sed -n 's/^.*release \([0-9.]*\),.*/\1/p')"
    if command -v nvidia-smi >/dev/null; then
        say "gpu: $(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
    fi
    command -v nvpmodel >/dev/null && say "power: $(nvpmodel -q 2>/dev/null | sed -n 's/^NV Power Mode: *//p')"
    clocks=/sys/devices/system/cpu/cpu0/cpufreq
    [ -r "$clocks/cpuinfo_max_freq" ] && say "clocks: $(cat "$clocks/scaling_cur_freq") of $(cat "$clocks/cpuinfo_max_freq") kHz"
    say "groups: $(id -Gn)"
    say "used: $(du -sk . 2>/dev/null | cut -f 1)"
}

# purge: nothing of ours stays; it says where there is something else.
purge() {
    enter
    begin
    rm -rf programs far runtime bundles plans objects cache put-ompls* run-ompls* 2>/dev/null &&
        rm -f "$marker" || fail "the board could not remove all of our files in $directory: look who owns them"
    cd / && rmdir "$directory" 2>/dev/null || say "$directory"
}

"$function" "$@"
