# Values that say they are small.
# limit: lists answer
class V:
    def __len__(self):
        return 1
    def __repr__(self):
        return 'v' * 100_000
    def __sizeof__(self):
        return 10 ** 30
globals().update({f'v{i}': V() for i in range(900)})
# %% send {"session": session, "op": "vars"}
# %% complete v
