#!/bin/sh
# Tries the packages of `make dist` in bare systems: dist.sh PACKAGES ROOT...
#
# Each ROOT is a folder with a bare Debian or Ubuntu, as bare.sh makes it; it is copied, and the copy goes afterwards. Run as root. What is tried: the tarball, the Debian package and the wheel install, run a first kernel, a
# PyOpenCL program, the examples in Python and `oxcl doctor`, live beside PoCL and Intel's runtimes, are upgraded and go without a
# trace. ONLY=deb, for example, tries one of them. TRANSCRIPT names a file that gets every line of shell and what it printed.
set -u
# What is mounted below goes with this namespace, and nothing of it is ever removed.
[ -n "${OXCL_PRIVATE_MOUNTS:-}" ] || OXCL_PRIVATE_MOUNTS=1 exec unshare -m --propagation private "$0" "$@"
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
passed=0 failed=0
work=$(mktemp -d)
root=
leave() {
    if [ -n "$root" ]; then umount "$root/proc" "$root/sys" "$root/dev/pts" "$root/dev" 2>/dev/null; fi
    rm -rf --one-file-system "$work"
}
trap leave EXIT

# Runs a line of shell in the system.
inside() {
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive PIP_CERT=/root/trusted.crt sh -c "cd /root && $1" > "$work/output" 2>&1
}

# try WHAT STATUS LINE [TEXT]: the line ends with the status, and prints the text.
try() {
    inside "$3"
    status=$?
    if [ -n "${TRANSCRIPT:-}" ]; then
        { echo "== $system, $1"; echo "\$ $3"; cat "$work/output"; echo "-- status $status"; } >> "$TRANSCRIPT"
    fi
    if [ "$status" = "$2" ] && { [ -z "${4:-}" ] || grep -qF -- "$4" "$work/output"; }; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1: status $status, not $2${4:+, or no \"$4\"}"
        sed 's/^/        /' "$work/output" | tail -30
    fi
}

fresh() {
    if [ -n "$root" ]; then umount "$root/proc" "$root/sys" "$root/dev/pts" "$root/dev"; rm -rf --one-file-system "$root"; fi
    root=$work/root
    cp -a "$1" "$root"
    mount -t proc proc "$root/proc"
    mount --bind /sys "$root/sys"
    mount --bind /dev "$root/dev"
    mount -t devpts devpts "$root/dev/pts"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    cp "$packages"/*.deb "$packages"/*.tar.xz "$packages"/*.whl "$root/root/"
    cp -r "$here/examples" "$here/new_user.sh" "$here/../cli/python/tests/test_oxcl.py" "$root/root/"
    # What this machine trusts, for pip.
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/root/trusted.crt"; fi
    cat > "$root/root/first.py" <<'P'
import numpy, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "oxcl")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
data = numpy.arange(1000, dtype=numpy.float32)
there = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
cl.Program(context, "kernel void f(global float *x) { x[get_global_id(0)] *= 2; }").build().f(queue, data.shape, None, there)
back = numpy.empty_like(data)
cl.enqueue_copy(queue, back, there)
assert (back == 2 * data).all()
print("PyOpenCL runs on", platform.name)
P
}

# Intel's runtime for processors, which Intel publishes for pip, and the one for its graphics where the system has it.
intels="{ apt-get install -y --no-install-recommends intel-opencl-icd || true; } && apt-get install -y --no-install-recommends python3-venv ca-certificates && python3 -m venv /opt/intel && /opt/intel/bin/pip install intel-opencl-rt intel-cmplr-lib-rt && find /opt/intel -name libintelocl.so > /etc/OpenCL/vendors/intel.icd"

wants() { [ "${ONLY:-$1}" = "$1" ]; }

for base in "$@"; do
    system=$(. "$base/etc/os-release" && echo "$PRETTY_NAME")
    echo "== $system, $(cat "$base"/etc/debian_version 2>/dev/null)"

    if wants tarball; then
        fresh "$base"
        inside "apt-get update"
        inside "apt-get install -y --no-install-recommends xz-utils"
        try "tarball: unpacks" 0 "tar xf oxcl-*.tar.xz && mv oxcl-*-x86_64-linux-gnu /opt/oxcl"
        try "tarball: doctor misses the loader" 1 "/opt/oxcl/bin/oxcl doctor" "[OX0801]"
        try "tarball: first kernel, where it was unpacked" 0 "/opt/oxcl/bin/oxcl new first && /opt/oxcl/bin/oxcl run first/first.toml first/test.toml"
        try "tarball: installs" 0 "cd /opt/oxcl && ./install" "Installed below /usr/local"
        inside "apt-get install -y --no-install-recommends ocl-icd-libopencl1 python3-pyopencl"
        try "tarball: doctor finds nothing" 0 "oxcl doctor" "nothing is wrong"
        try "tarball: PyOpenCL" 0 "python3 first.py" "PyOpenCL runs on oxcl"
        try "tarball: beside PoCL" 0 "apt-get install -y --no-install-recommends pocl-opencl-icd && oxcl doctor && python3 first.py" "Portable"
        try "tarball: beside Intel's" 0 "$intels && oxcl doctor && python3 first.py" "Intel(R) OpenCL"
        try "tarball: is upgraded" 0 "/opt/oxcl/install && oxcl doctor && python3 first.py" "PyOpenCL runs on oxcl"
        try "tarball: goes" 0 "/opt/oxcl/install --remove && test -z \"\$(find / -xdev -name '*oxcl*' -not -path '/opt/*' -not -path '/root/*' -not -path '/proc/*')\""
        try "tarball: installs without root's rights" 0 "useradd -m me && cp oxcl-*.tar.xz first.py /home/me && su me -c 'cd && tar xf oxcl-*-x86_64-linux-gnu.tar.xz && cd oxcl-*-x86_64-linux-gnu && ./install ~/oxcl && export OCL_ICD_VENDORS=~/oxcl/etc/OpenCL/vendors && ~/oxcl/bin/oxcl doctor'" "export OCL_ICD_VENDORS=/home/me/oxcl/etc/OpenCL/vendors"
        try "tarball: runs so" 0 "su me -c 'cd; export OCL_ICD_VENDORS=\$HOME/oxcl/etc/OpenCL/vendors; ~/oxcl/bin/oxcl doctor && python3 first.py'" "PyOpenCL runs on oxcl"
    fi

    if wants deb; then
        fresh "$base"
        inside "apt-get update"
        try "deb: installs" 0 "apt install -y ./oxcl_*.deb"
        try "deb: doctor finds nothing" 0 "oxcl doctor" "nothing is wrong"
        try "deb: first kernel" 0 "oxcl new first && oxcl run first/first.toml first/test.toml"
        inside "apt-get install -y --no-install-recommends python3-pyopencl clinfo man-db"
        try "deb: PyOpenCL" 0 "python3 first.py" "PyOpenCL runs on oxcl"
        try "deb: clinfo" 0 "clinfo -l" "oxcl"
        try "deb: beside PoCL" 0 "apt-get install -y --no-install-recommends pocl-opencl-icd && oxcl doctor && clinfo -l && python3 first.py" "Portable"
        try "deb: beside Intel's" 0 "$intels && oxcl doctor && clinfo -l && python3 first.py" "Intel(R) OpenCL"
        try "deb: is upgraded" 0 "dpkg-deb -R oxcl_*.deb next && sed -i 's/^Version: .*/Version: 99/' next/DEBIAN/control && dpkg-deb -Znone -b next next.deb && apt-get install -y ./next.deb && dpkg -s oxcl && oxcl doctor" "Version: 99"
        try "deb: goes, and PoCL stays" 0 "apt-get purge -y oxcl && clinfo -l && ! clinfo -l | grep oxcl && test -z \"\$(find / -xdev -name '*oxcl*' -not -path '/root/*' -not -path '/proc/*' -not -path '/var/*')\""
    fi

    if wants wheel; then
        fresh "$base"
        inside "apt-get update && apt-get install -y --no-install-recommends python3-venv ca-certificates"
        began=$(date +%s)
        try "wheel: installs into an empty environment" 0 "python3 -m venv e && e/bin/pip install oxcl-*.whl pyopencl && e/bin/python -m oxcl doctor" "nothing is wrong"
        try "wheel: a picture" 0 "e/bin/python examples/numpy/picture.py" "edges.png: 1024x768 pixels"
        echo "        from the wheel to a picture: $(($(date +%s) - began)) s"
        try "wheel: a new user's picture" 0 "sh new_user.sh oxcl-*.whl examples/image-filter/scene.png" "from the wheel to the picture"
        sed 's/^/        /' "$work/output"
        try "wheel: PyOpenCL lists the platform" 0 "e/bin/python -c 'import pyopencl; print(pyopencl.get_platforms())'" "oxcl"
        try "wheel: PyOpenCL" 0 "e/bin/python first.py" "PyOpenCL runs on oxcl"
        try "wheel: the PyOpenCL example" 0 "cd examples/pyopencl && ../../e/bin/python mandelbrot.py" "about 1.5"
        try "wheel: a neural network" 0 "e/bin/python examples/neural-network/digits.py" "digits are read right"
        try "wheel: tests of the package" 0 "e/bin/python -m unittest -v test_oxcl.py" "OK"
        try "wheel: first kernel" 0 "e/bin/python -m oxcl new first && e/bin/oxcl run first/first.toml first/test.toml"
        try "wheel: doctor finds nothing" 0 "e/bin/python -m oxcl doctor" "nothing is wrong"
        try "wheel: beside PoCL" 0 "apt-get install -y --no-install-recommends pocl-opencl-icd && e/bin/oxcl doctor && e/bin/python first.py && e/bin/python -c 'import pyopencl; print(pyopencl.get_platforms())'" "Portable"
        try "wheel: beside Intel's" 0 "$intels && e/bin/oxcl doctor && e/bin/python first.py && e/bin/python -c 'import pyopencl; print(pyopencl.get_platforms())'" "Intel(R) OpenCL"
        try "wheel: is upgraded" 0 "e/bin/pip install --force-reinstall --no-deps oxcl-*.whl && e/bin/python first.py" "PyOpenCL runs on oxcl"
        try "wheel: goes" 0 "e/bin/pip uninstall -y oxcl && test -z \"\$(find e -name '*oxcl*')\""
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
