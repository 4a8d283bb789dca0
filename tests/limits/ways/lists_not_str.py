# Keys that are not strings.
# limit: lists answer
globals().update({i: i for i in range(3000)})
globals().update({('t' * 1000, i): i for i in range(2000)})
# %% send {"session": session, "op": "vars"}
# %% complete t
