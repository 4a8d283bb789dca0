# Processes that are started when the cell has ended.
# limit: tasks
# after: 3
(sleep 0.5; for i in {1..300}; do sleep 20 & done; wait) >/dev/null 2>&1 &
# %% wait 2
# %% cell
echo after
