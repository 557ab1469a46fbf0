#!/bin/bash
# One step of epiphany_toolchain.sh: epiphany_steps.sh STEP DIRECTORY JOBS
set -eu
root=$2 work=$2/build jobs=$3
mkdir -p "$work"
cd "$work"

fetch() { # of Debian's source packages, which hold the tarball of each
    apt-get download binutils-source gcc-12-source newlib-source
    for package in ./*.deb; do dpkg-deb -x "$package" unpacked; done
    find unpacked -name '*.tar.*' ! -name '*debian*' -exec tar -xf {} \;
    rm -rf unpacked ./*.deb
}

case $1 in
    sources)
        rm -rf unpacked
        fetch
        mv binutils-* binutils && mv gcc-* gcc && mv newlib-* newlib
        touch gcc/gcc/s-tm-texi # Debian's tarball has no manual
        ;;
    binutils)
        mkdir -p make-binutils && cd make-binutils
        ../binutils/configure --target=epiphany-elf --prefix="$root" --disable-nls --disable-gdb --disable-sim \
            --disable-werror --disable-gprofng MAKEINFO=true
        make -j"$jobs" MAKEINFO=true
        make install MAKEINFO=true
        ;;
    compiler)
        mkdir -p make-gcc && cd make-gcc
        test -e Makefile || ../gcc/configure --target=epiphany-elf --prefix="$root" --enable-languages=c --with-newlib \
            --disable-multilib --disable-shared --disable-threads --disable-libssp --disable-lto --disable-bootstrap \
            --disable-nls --disable-plugin --with-headers=no MAKEINFO=true CFLAGS=-O0 CXXFLAGS=-O0
        make -j"$jobs" all-gcc MAKEINFO=true
        touch gcc/s-tm-texi
        make install-gcc MAKEINFO=true
        ;;
    library)
        mkdir -p make-newlib && cd make-newlib
        test -e Makefile || ../newlib/configure --target=epiphany-elf --prefix="$root" --disable-multilib MAKEINFO=true
        make -j"$jobs" MAKEINFO=true
        make install MAKEINFO=true
        ;;
    support)
        cd make-gcc
        make -j"$jobs" all-target-libgcc MAKEINFO=true
        make install-target-libgcc MAKEINFO=true
        cd "$root" && strip bin/* epiphany-elf/bin/* libexec/gcc/*/*/cc1 2>/dev/null || true
        rm -rf "$work"/make-* "$work"/binutils "$work"/gcc "$work"/newlib
        ;;
esac
