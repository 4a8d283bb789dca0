#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --check "assert is_leap(2000) and not is_leap(1900)" --expect "24" "Write is_leap(year), and show how many leap years there are from 1901 to 1999."
