# One name of MiBs.
# limit: lists answer
globals()['o' * 9_000_000] = 1
# %% send {"session": session, "op": "vars"}
# %% complete o
