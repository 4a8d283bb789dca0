#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --cache-file replies.db "What is 2 to the power of 100?"
"$SNUG" ask --quiet --cache-file replies.db "What is 2 to the power of 100?"
