# SPDX-License-Identifier: GPL-2.0-or-later
# Real kernels: needs root, QEMU and debootstrap; no part of make check.
