# Sets thousands of names, which the answer lists.
# limit: answer
globals().update({"n" * 3000 + str(i): i for i in range(5000)})
# %% send {"session": session, "op": "vars"}
# %% complete n
