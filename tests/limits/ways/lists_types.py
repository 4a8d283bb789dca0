# Classes with long names.
# limit: lists answer
T = type('T' * 50_000, (), {})
globals().update({f't{i}': T() for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete T
