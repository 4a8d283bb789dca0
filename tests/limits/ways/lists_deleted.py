# Names that are deleted again in the next cell.
# limit: lists answer
globals().update({'d' * 1000 + str(i): i for i in range(3000)})
# %% cell
for n in [n for n in globals() if n.startswith('d' * 1000)]:
    del globals()[n]
# %% send {"session": session, "op": "vars"}
# %% complete d
