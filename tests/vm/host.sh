# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the harness's programs share on the host; sourced, with $here set to this directory.

readonly trees_conf=$here/trees.conf architectures_conf=$here/architectures.conf

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

say()
{
	echo "check-vm: $*" >&2
}

vm_cache()
{
	echo "${KMALLOC_TOP_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kmalloc-top/vm}"
}

# conf_lines [FILE]: lines of trees.conf, or of another such file, without comments.
conf_lines()
{
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "${1:-$trees_conf}"
}

# tree_architecture TREE: a tree is called RELEASE, or RELEASE-ARCHITECTURE if it is foreign: cross-built on this
# host, without SystemTap.
tree_architecture()
{
	[[ $1 = *-* ]] && echo "${1##*-}" || echo amd64
}

# native_kernels: those of trees.conf for which a module is compiled.
native_kernels()
{
	conf_lines | awk '$2 !~ /-/ { print $1 }'
}

# architecture_field KEY COLUMN: KEY is Debian's name of an architecture, or the suffix of its kernels.
architecture_field()
{
	conf_lines "$architectures_conf" | awk -v key="$1" -v column="$2" \
		'$1 == key || $3 == key { print $column; found = 1 } END { exit !found }'
}

# conf_field KERNEL COLUMN: fails when there is no such kernel.
conf_field()
{
	conf_lines | awk -v kernel="$1" -v column="$2" \
		'$1 == kernel { print $column; found = 1 } END { exit !found }'
}

# need_root and need_tools TOOL…: chroots and mounts want the one, the other are packages.
need_root()
{
	[ "$(id -u)" = 0 ] || die "needs root: it makes chroots and mounts (try: sudo $0)"
}

need_tools()
{
	local tool
	for tool; do
		command -v "$tool" > /dev/null || die "$tool is missing (packages/install vm installs it)"
	done
}

# tree_release DIR REGEX: the newest kernel of the tree that matches.
tree_release()
{
	local release
	release=$(find "$1/usr/lib/modules" -mindepth 1 -maxdepth 1 -printf '%f\n' |
		grep -E -x "$2" | sort -V | tail -n 1)
	[ -n "$release" ] || die "no kernel in $1 matches $2"
	echo "$release"
}

# debian_mirror: the URI under which this host's apt finds Debian's main archive; its suite does not matter.
debian_mirror()
{
	[ -z "${KMALLOC_TOP_VM_MIRROR:-}" ] || { echo "$KMALLOC_TOP_VM_MIRROR"; return; }
	command -v apt-get > /dev/null || die "no apt here: set KMALLOC_TOP_VM_MIRROR to a Debian mirror"
	apt-get indextargets --format "\$(RELEASE) \$(COMPONENT) \$(REPO_URI)" 'Created-By: Packages' |
		awk -v release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" \
			'$1 == release && $2 == "main" { print $3; exit }'
}

# host_way: for apt in a tree, the host's way to its mirror: proxies, and what the host lets pass of a mirror that is a
# snapshot.
host_way()
{
	apt-config dump Acquire |
		grep -E -i '^Acquire::((http|https|ftp)::.*Proxy|Check-Valid-Until|Check-Date)' || true
}
