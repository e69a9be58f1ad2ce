#!/bin/bash
# A newer FreeCAD with its Assembly workbench in a root of its own, beside an older Debian: of trixie
# FreeCAD 1.0, of forky FreeCAD 1.1.  As root; some minutes and 1.9 and 2.7 GB.
#   freecad_root.sh DIR SUITE                 makes the root; does nothing where it stands
#   freecad_root.sh DIR run REPO COMMAND...   runs COMMAND in it: REPO is /project, HOME is /project/.fchome
set -euo pipefail
usage="usage: freecad_root.sh DIR SUITE | DIR run REPO COMMAND..."
root=${1:?$usage}
suite=${2:?$usage}

make_root() {
    local mirror
    mirror=$(grep -hm1 '^URIs:' /etc/apt/sources.list.d/debian.sources | awk '{print $2}')
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
    # "sid": the script, for an older debootstrap does not know the suite's name.
    debootstrap --variant=minbase "$suite" "$root" "$mirror" sid >/dev/null
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service is started in it
    chmod +x "$root/usr/sbin/policy-rc.d"
    export DEBIAN_FRONTEND=noninteractive
    # A mirror may keep a suite as it was: its signature holds when its date is over.
    chroot "$root" apt-get update -qq -o Acquire::Check-Valid-Until=false
    chroot "$root" apt-get install -y -qq --no-install-recommends freecad-python3 \
        python3-numpy python3-scipy python3-networkx python3-pytest python3-pip xvfb xauth \
        qt6-svg-plugins >/dev/null # the icons of 1.1
    chroot "$root" apt-get clean
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # with those this machine adds
    chroot "$root" pip install --quiet --no-deps --target /opt/mesh trimesh python-fcl # the page of contact
    chroot "$root" pip install --quiet --no-deps --target /opt/numba numba llvmlite # benchmarks alone
    touch "$root/.ready"
}

if [[ $suite != run ]]; then
    [[ -e $root/.ready ]] || make_root
    exit
fi
repo=$(realpath "$3")
shift 3
export root repo
# A mount name space of its own: nothing stays mounted.  freecadcmd needs /proc.
unshare --mount bash -c '
    mkdir -p "$root/project"
    mount -t proc proc "$root/proc"
    mount --bind "$repo" "$root/project"
    exec chroot "$root" env HOME=/project/.fchome "$@"' _ "$@" </dev/null
