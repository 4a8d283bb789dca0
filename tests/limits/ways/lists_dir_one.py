# One name of MiBs.
# limit: lists answer
class C:
    def __dir__(self):
        return ['c' * 20_000_000]
x = C()
# %% complete x.
# %% complete x.c
