# Classes whose names take six bytes a character as JSON.
# limit: lists answer
T = type('\x01' * 50_000, (), {})
globals().update({f't{i}': T() for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete \
