# Values whose summaries grow as JSON.
# limit: lists answer
globals().update({f's{i}': '\x01' * 10_000 for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete s
