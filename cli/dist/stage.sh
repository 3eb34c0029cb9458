#!/bin/sh
# Lays out what a package contains: stage.sh BUILD FOLDER, with BUILD the folder of a release build (oxcl, liboxcl.so).
#
# On exit FOLDER has bin/, lib/, share/man, share/bash-completion, share/zsh, share/fish and share/doc/oxcl with the licences of
# everything that is linked in and the list of it. Nothing in it depends on when or where it was made.
set -eu
cd "$(dirname "$0")/../.."
build=$1 to=$2

# Programs of these libraries run on any system of their age or later; anything else would have to be brought along.
for file in "$build/oxcl" "$build/liboxcl.so"; do
    for library in $(objdump -p "$file" | sed -n 's/^ *NEEDED *//p'); do
        case $library in
        libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux-x86-64.so.2) ;;
        *)
            echo "$file needs $library: LLVM's, clang's and the C++ library's static archives are not all installed" >&2
            exit 1
            ;;
        esac
    done
done

rm -rf "$to"
install -D -m 755 "$build/oxcl" "$to/bin/oxcl"
install -D -m 644 "$build/liboxcl.so" "$to/lib/liboxcl.so.1"

oxcl=$build/oxcl
man=$to/share/man/man1
mkdir -p "$man"
"$oxcl" gen man | gzip -9n > "$man/oxcl.1.gz"
for command in $("$oxcl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = help ] || "$oxcl" gen man "$command" | gzip -9n > "$man/oxcl-$command.1.gz"
done
for pair in bash:bash-completion/completions/oxcl zsh:zsh/vendor-completions/_oxcl fish:fish/vendor_completions.d/oxcl.fish; do
    file=$to/share/${pair#*:}
    mkdir -p "$(dirname "$file")"
    "$oxcl" gen completions "${pair%%:*}" > "$file"
done

doc=$to/share/doc/oxcl
mkdir -p "$doc"
gzip -9n < docs/CHANGELOG.md > "$doc/changelog.gz"
python3 cli/dist/contents.py "$doc"
find "$to" -type d -exec chmod 755 {} +
find "$to" -type f ! -path '*/bin/*' -exec chmod 644 {} +
