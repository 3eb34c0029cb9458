#!/bin/sh
# Makes the packages: dist.sh OUT. On exit OUT has
#
#     oxcl-VERSION-x86_64-linux-gnu.tar.xz   the program and the library, to be unpacked anywhere
#     oxcl_VERSION-1_amd64.deb               the same for Debian 12 and later, and Ubuntu 24.04 and later
#     oxcl-VERSION-cp39-abi3-manylinux_2_36_x86_64.whl   the same for Python 3.9 and later, and kernels on NumPy arrays
#     oxcl-VERSION.cdx.json                  what is in them
#     SHA256SUMS                             checksums of the above
#
# Two runs on one commit with the same compilers and Debian packages give the same bytes, wherever they are made. BUILD names a
# folder as build.sh leaves it, which is packaged in place of one that is made.
set -eu
cd "$(dirname "$0")/../.."

mkdir -p "$1"
out=$(cd "$1" && pwd)
# Packages of an earlier version would be tried with these.
rm -f "$out"/oxcl[-_]*
umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=oxcl-$version-x86_64-linux-gnu

if [ -z "${BUILD:-}" ]; then
    cli/dist/build.sh target/dist
    BUILD=target/dist
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli/dist/stage.sh "$BUILD/release" "$work/stage"

# The tarball.
cp -r "$work/stage" "$work/$name"
ln -s liboxcl.so.1 "$work/$name/lib/liboxcl.so"
install -m 755 cli/dist/install "$work/$name/install"
sed "s/VERSION/$version/g" cli/dist/README > "$work/$name/README"
tar -C "$work" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    -cf "$work/$name.tar" "$name"
# The number of threads is a part of the format's layout, so it is always the same.
xz -T4 -6 < "$work/$name.tar" > "$out/$name.tar.xz"
rm -rf "${work:?}/$name" "$work/$name.tar"

# The Python wheel.
wheel=oxcl-$version-cp39-abi3-manylinux_2_36_x86_64.whl
python3 cli/dist/wheel.py "$BUILD/python/$wheel" "$work/stage" "$out/$wheel"

# The Debian package: the library goes where Debian has libraries, and the loader's file gives its name only.
deb=$work/deb
mkdir -p "$deb/DEBIAN" "$deb/usr/lib/x86_64-linux-gnu" "$deb/etc/OpenCL/vendors" "$deb/usr/share/lintian/overrides"
cp -r "$work/stage/bin" "$work/stage/share" "$deb/usr/"
cp "$work/stage/lib/liboxcl.so.1" "$deb/usr/lib/x86_64-linux-gnu/"
echo liboxcl.so.1 > "$deb/etc/OpenCL/vendors/oxcl.icd"
mkdir -p "$deb/usr/share/zsh" "$deb/usr/share/doc/oxcl"
cp cli/dist/debian/overrides "$deb/usr/share/lintian/overrides/oxcl"
maintainer=$(git log -1 --format='%an <%ae>')
{
    echo "oxcl ($version-1) unstable; urgency=medium"
    printf '\n  * See changelog.gz.\n\n'
    echo " -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n > "$deb/usr/share/doc/oxcl/changelog.Debian.gz"
# Debian has the text of the Apache licence in one place, and its copyright file shall point there.
doc=$deb/usr/share/doc/oxcl
gzip -9n < "$doc/copyright" > "$doc/licences.gz"
{
    printf 'oxcl is under the MIT licence or the Apache licence 2.0, at your option. The latter is in\n'
    printf '/usr/share/common-licenses/Apache-2.0; the former:\n\n'
    cat LICENSE-MIT
    printf '\nThe program holds parts of LLVM, clang, lld and other libraries; licences.gz beside this file has their\n'
    printf 'names, versions and licences. On Debian systems the texts that many share are in /usr/share/common-licenses.\n'
} > "$doc/copyright"
size=$(du -sk --apparent-size "$deb" | cut -f1)
sed -e "s/@VERSION@/$version-1/" -e "s/@SIZE@/$size/" -e "s|@MAINTAINER@|$maintainer|" cli/dist/debian/control > "$deb/DEBIAN/control"
cp cli/dist/debian/triggers "$deb/DEBIAN/triggers"
echo /etc/OpenCL/vendors/oxcl.icd > "$deb/DEBIAN/conffiles"
(cd "$deb" && find usr etc -type f | sort | xargs md5sum > DEBIAN/md5sums)
find "$deb" -type d -exec chmod 755 {} +
chmod 644 "$deb"/DEBIAN/* "$deb/etc/OpenCL/vendors/oxcl.icd" "$deb/usr/share/lintian/overrides/oxcl" \
    "$doc"/*
dpkg-deb --root-owner-group -Zxz -z6 --threads-max=4 --build "$deb" "$out/oxcl_$version-1_amd64.deb" > "$work/log" 2>&1 ||
    dpkg-deb --root-owner-group -Zxz -z6 --build "$deb" "$out/oxcl_$version-1_amd64.deb" > "$work/log"

cp "$work/stage/share/doc/oxcl/sbom.cdx.json" "$out/oxcl-$version.cdx.json"
(cd "$out" && sha256sum "$name.tar.xz" "oxcl_$version-1_amd64.deb" "$wheel" "oxcl-$version.cdx.json" > SHA256SUMS)
ls -l "$out"
