# Names of characters that take many bytes.
# limit: lists answer
globals().update({'\u4e2d' * 300 + str(i): i for i in range(3000)})
# %% send {"session": session, "op": "vars"}
# %% complete \
