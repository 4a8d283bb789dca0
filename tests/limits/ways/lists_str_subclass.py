# Keys of the namespace that are of a class of str's.
# limit: lists answer
class S(str):
    pass
globals().update({S('k' * 1000 + str(i)): i for i in range(2000)})
# %% send {"session": session, "op": "vars"}
# %% complete k
