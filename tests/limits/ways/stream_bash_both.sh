# A program that writes to both streams through one another.
# limit: output
exec 3>&1
for i in {1..300}; do head -c 10000 /dev/zero | tr '\0' a | tee /dev/stderr >&3; done
