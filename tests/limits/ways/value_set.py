# Sets and frozen sets, and ranges turned into tuples.
# limit: value
{frozenset(range(i, i + 50)) for i in range(2000)}
# %% cell
tuple(range(400_000))
