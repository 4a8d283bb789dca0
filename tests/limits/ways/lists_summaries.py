# Values with long summaries.
# limit: lists answer
globals().update({f's{i}': 'x' * 10_000 for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete s
