# Jobs in the background that hold deleted files open and go on writing when the cell has ended.
# limit: disk_bytes
# after: 3
for i in {1..10}; do
    (exec 9>hole$i; rm hole$i; sleep 0.5; head -c 15000000 /dev/zero >&9; sleep 10) >/dev/null 2>&1 &
done
# %% wait 2
# %% cell
echo after
