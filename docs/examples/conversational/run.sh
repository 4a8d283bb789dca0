#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet --session ./trip.db "A trip is 480 km and the car takes 6.5 litres for 100 km. Put the litres into litres."
"$SNUG" ask --quiet --session ./trip.db "And what does that cost at 1.70 a litre?"
