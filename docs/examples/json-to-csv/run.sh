#!/bin/sh -e
# SNUG is the program, SNUG_MODEL and the provider's variables say whom it asks.
cd "$(dirname "$0")"
: "${SNUG:=snug}"
mkdir -p out
"$SNUG" ask --quiet --workdir out --input orders=orders.json --answer result "Write the orders as orders.csv, a row for each item, and show how many rows there are."
cat out/orders.csv
