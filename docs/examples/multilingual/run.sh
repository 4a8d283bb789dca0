#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
"$SNUG" ask --quiet "¿Cuántos días hay entre el 1 de marzo y el 24 de diciembre de 2024?"
"$SNUG" ask --quiet "Wie viele Sekunden hat eine Woche?"
"$SNUG" ask --quiet "1到100的整数之和是多少？"
"$SNUG" ask --quiet --answer-language French "How many seconds are in a week?"
