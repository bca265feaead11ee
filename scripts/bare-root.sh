# shellcheck shell=bash
# A bare Debian 12 in a folder, for the scripts that prove things in one. They source this file, which needs root and
# debootstrap. The root reaches the archives that this machine reaches: its mirror, proxies, certificates and names.
bare_root_suite=bookworm

# The mirror of this machine for the suite, else Debian's own. apt knows it from any form of sources.list, once it has its lists.
bare_root_mirror() {
  # shellcheck disable=SC2016
  local mirror ask=(apt-get indextargets --format '$(REPO_URI)' "Codename: $bare_root_suite" "Origin: Debian")
  mirror=$("${ask[@]}" 2>/dev/null | sed -n 1p)
  if [[ -z $mirror ]] && apt-get update -qq >&2; then
    mirror=$("${ask[@]}" | sed -n 1p)
  fi
  echo "${mirror:-http://deb.debian.org/debian}"
}

# bare_root_make ROOT: what debootstrap calls minbase, with /proc, /sys and /dev. hwloc reads /sys: without it PoCL finds no
# memory, and ends the process.
bare_root_make() {
  local root=$1 mirror file
  mirror=$(bare_root_mirror)
  debootstrap --variant=minbase "$bare_root_suite" "$root" "$mirror"
  while IFS= read -r file; do
    cp "$file" "$root/etc/apt/apt.conf.d/"
  done < <(grep -l 'Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* 2>/dev/null || true)
  for file in /etc/resolv.conf /etc/hosts; do
    [[ ! -e $file ]] || cp -L "$file" "$root$file"
  done
  if [[ $mirror == https:* && -d /etc/ssl/certs ]]; then
    mkdir -p "$root/etc/ssl"
    cp -aL /etc/ssl/certs "$root/etc/ssl/"
  fi
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --bind /dev "$root/dev"
  mkdir -p "$root/dev/shm"
  mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
}

# bare_root_remove ROOT [FOLDER]: unmounts, and removes the root, or the folder that it is in.
bare_root_remove() {
  local root=$1 mounted
  for mounted in proc sys dev/shm dev; do
    # After an interrupt a program inside may still end: the mount goes from here at once, and from the program later.
    ! mountpoint -q "$root/$mounted" || umount "$root/$mounted" || umount --lazy "$root/$mounted"
  done
  rm -rf --one-file-system "${2:-$root}"  # never through a mount that is still there
}

# bare_root_run ROOT COMMAND [VARIABLE=VALUE...]: bash inside, with nothing of this environment but the proxies.
bare_root_run() {
  local root=$1 command=$2
  shift 2
  env -i HOME=/ LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} "$@" \
    chroot "$root" /bin/bash -euo pipefail -c "$command" </dev/null
}

# copy_tree FOLDER: the working tree as git knows it, without what was built. Without git, all but build/.
copy_tree() {
  mkdir -p "$1"
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      [[ ! -e $file ]] || printf '%s\0' "$file"
    done | tar --null -T - -cf - | tar -C "$1" --no-same-owner -xf -
  else
    tar --exclude=./build -cf - . | tar -C "$1" --no-same-owner -xf -
  fi
}
