#!/bin/bash
# FreeCAD 1.0 with its Assembly workbench in a root of its own: Debian 13 beside an older Debian.
# As root; about 90 s and 1.9 GB.
#   freecad10.sh DIR                       makes the root; does nothing where it stands
#   freecad10.sh DIR run REPO COMMAND...   runs COMMAND in it: REPO is /project, HOME is /project/.fchome
set -euo pipefail
root=${1:?usage: freecad10.sh DIR [run REPO COMMAND...]}

make_root() {
    local mirror
    mirror=$(grep -hm1 '^URIs:' /etc/apt/sources.list.d/debian.sources | awk '{print $2}')
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
    debootstrap --variant=minbase trixie "$root" "$mirror" >/dev/null
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service is started in it
    chmod +x "$root/usr/sbin/policy-rc.d"
    export DEBIAN_FRONTEND=noninteractive
    chroot "$root" apt-get update -qq
    chroot "$root" apt-get install -y -qq --no-install-recommends freecad-python3 \
        python3-numpy python3-scipy python3-networkx python3-pytest python3-pip xvfb xauth >/dev/null
    chroot "$root" apt-get clean
    chroot "$root" pip install --quiet --target /opt/mesh trimesh python-fcl # the page of contact
    touch "$root/.ready"
}

[[ -e $root/.ready ]] || make_root
[[ ${2:-} == run ]] || exit 0
repo=$(realpath "$3")
shift 3
export root repo
# A mount name space of its own: nothing stays mounted.  freecadcmd needs /proc.
unshare --mount bash -c '
    mkdir -p "$root/project"
    mount -t proc proc "$root/proc"
    mount --bind "$repo" "$root/project"
    exec chroot "$root" env HOME=/project/.fchome "$@"' _ "$@" </dev/null
