# The history itself: Out and In, which hold themselves.
# limit: value
["x" * 10_000] * 100
# %% cell
Out
# %% cell
globals()
# %% cell
In
