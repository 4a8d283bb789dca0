#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --check "assert len(margins) == 47" "Put the margin of each order in orders.csv into the list margins. What is the average margin?"
