#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --check "assert 2*x + 3*y == 7 and 4*x - y == 1" "Solve 2x + 3y = 7 and 4x - y = 1 exactly."
