/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/check.h"

/* The rows of --check for the collector stap, ended by a row without topic. */
extern const CheckRow stap_checks[];

/* As CollectorType.is_ready of the collector stap. */
bool stap_is_ready(const CheckHost *host, GString *lacks);
