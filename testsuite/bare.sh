#!/bin/sh
# A bare system in a folder that is named after a release of Debian's or Ubuntu's: bare.sh FOLDER, for example target/dist/trixie.
# Run as root.
set -eu
release=$(basename "$1")
case $release in
jammy | noble | questing)
    # Debian's debootstrap may not know the release; all of Ubuntu's are made by one of its scripts.
    debootstrap --variant=minbase --components=main,universe "$release" "$1" http://archive.ubuntu.com/ubuntu \
        /usr/share/debootstrap/scripts/gutsy
    ;;
*)
    debootstrap --variant=minbase "$release" "$1"
    ;;
esac
