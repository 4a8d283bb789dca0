#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --code median.py --check "assert median([3, 1, 2]) == 2" --check "assert median([4, 1, 3, 2]) == 2.5"
