# Many processes that append to one file at once.
# limit: disk_bytes
for i in {1..30}; do head -c 10M /dev/zero >>log & done
wait
