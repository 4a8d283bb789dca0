#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" batch -j 2 tasks.jsonl
grep -c '"status":"answered"' tasks.results.jsonl
