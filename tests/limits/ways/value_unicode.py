# Characters of four bytes, combining ones, and those that turn direction.
# limit: value
"\U0001f468\u200d\u0301\u202e" * 1_000_000
# %% cell
"\ud800" * 1_000_000
