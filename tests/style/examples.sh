#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# examples.sh NAME...: every model in examples/ is among these, which the system tests run.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
expect "every example is run" \
    "$(cd "$MASING_SOURCE_ROOT/examples" && ls ./*.yaml)" \
    "$(for name; do echo "./$name.yaml"; done | sort)"
finish
