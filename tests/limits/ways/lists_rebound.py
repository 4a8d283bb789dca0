# Names that are bound again in each cell.
# limit: lists answer
globals().update({'r' * 1000 + str(i): object() for i in range(900)})
# %% cell
globals().update({'r' * 1000 + str(i): object() for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete r
