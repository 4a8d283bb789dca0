#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --mode plan --input temps.csv=temps.csv "Which month of temps.csv is the warmest, and how far is it above the mean?"
