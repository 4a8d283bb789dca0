# A fork bomb.
# limit: tasks
f() { f | f & }
f
sleep 2
# %% cell
echo after
