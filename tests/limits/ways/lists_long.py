# Names of a KiB each.
# limit: lists answer
globals().update({'n' * 1000 + str(i): i for i in range(3000)})
# %% send {"session": session, "op": "vars"}
# %% complete n
