# A job in the background that writes file after file when the cell has ended.
# limit: disk_bytes disk_files
# quick:
# after: 3
(sleep 0.5; for i in {1..30}; do head -c 10000000 /dev/zero >big$i; done; for i in {1..3000}; do : >f$i; done) >/dev/null 2>&1 &
# %% wait 2
# %% cell
echo after
