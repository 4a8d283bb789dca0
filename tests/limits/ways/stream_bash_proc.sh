# Writes to the streams through /proc and /dev.
# limit: output
for i in {1..300}; do
    head -c 10000 /dev/zero | tr '\0' d >/dev/stdout
    head -c 10000 /dev/zero | tr '\0' d >/proc/self/fd/2
done
