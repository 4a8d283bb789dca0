#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet "Put the squares of 1 to 20 into squares, and show their sum." "Which of the squares are even?"
