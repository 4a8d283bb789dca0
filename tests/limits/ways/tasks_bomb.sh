# A fork bomb.
# limit: tasks
# forms: bash
f() { f | f & }
f
sleep 2
# %% cell
echo after
