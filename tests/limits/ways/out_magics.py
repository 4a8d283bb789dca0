# Magics that print: %whos with long values, ? with long sources.
# limit: output answer
x = "w" * 9_000_000
globals().update({f"n{i}": x for i in range(3000)})
# %% cell
%whos
# %% cell
x?
