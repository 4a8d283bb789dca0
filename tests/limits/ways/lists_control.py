# Names that are not names: control characters and quotes.
# limit: lists answer
globals().update({'\x01"\\' * 100 + str(i): i for i in range(3000)})
# %% send {"session": session, "op": "vars"}
# %% complete \
