# Fills /tmp and /dev/shm, which are in memory.
# limit: memory
# quick:
head -c 300M /dev/zero >/tmp/a
head -c 300M /dev/zero >/dev/shm/b
for i in {1..40}; do head -c 10M /dev/zero >/tmp/c$i; head -c 10M /dev/zero >/dev/shm/c$i; done
:
# %% wait 1
# %% cell
df -k /tmp /dev/shm
