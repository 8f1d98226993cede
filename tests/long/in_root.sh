# Sourced by trials on a bare Debian root.
# shellcheck shell=bash

# in_root ROOT COMMAND...: in namespaces of its own, with /proc, /sys and /dev; nothing of this machine's files is seen.
in_root() {
  unshare --mount --pid --fork --kill-child bash -c '
    root=$1
    shift
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    cd "$root"
    mkdir -p old
    pivot_root . old
    umount -l /old
    exec "$@"' bash "$@"
}
