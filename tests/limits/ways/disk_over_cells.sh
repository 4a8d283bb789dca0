# Each cell writes what is within the limit, under another name, from a shell that was told not to mind.
# limit: disk_bytes
# rounds: 12
trap '' XFSZ
head -c 12M /dev/zero >big-$RANDOM-$RANDOM
