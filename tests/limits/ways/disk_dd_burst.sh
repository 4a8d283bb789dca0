# Writes between two looks: many processes with a few MiB each, and their end.
# limit: disk_bytes
for i in {1..50}; do dd if=/dev/zero of=b$i bs=4M count=4 status=none & done
wait
# %% cell
ls -l | wc -l
