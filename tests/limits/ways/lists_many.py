# Names by the hundred thousand.
# limit: lists answer
globals().update({f'n{i}': i for i in range(200_000)})
# %% send {"session": session, "op": "vars"}
# %% complete n
