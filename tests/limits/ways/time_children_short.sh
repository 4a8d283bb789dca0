# Programs that are too short for a look: hundreds a second.
# limit: wall cpu
while :; do /bin/true; /bin/true & done
