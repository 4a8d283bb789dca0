#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
mkdir -p out
"$SNUG" ask --quiet --full --allow numpy --allow pandas --allow matplotlib --workdir out --session sales --input text=orders.csv "What is the revenue of each month?"
"$SNUG" ask --quiet --full --allow numpy --allow pandas --allow matplotlib --workdir out --session sales "Draw it as stacked bars, a part for each region, and save the picture as revenue.png."
ls out
