# Names with halves of characters.
# limit: lists answer
globals().update({'\ud800' * 300 + str(i): i for i in range(2000)})
# %% send {"session": session, "op": "vars"}
# %% complete \
