#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" library add --library shop.db --title "Delivery rates" rates.md
"$SNUG" ask --quiet --library shop.db "What does delivery of a parcel of 7 kg cost?"
