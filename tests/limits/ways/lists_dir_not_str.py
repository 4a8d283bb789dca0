# Names that are not strings.
# limit: lists answer
class C:
    def __dir__(self):
        return [b'c' * 1000, 5, None] * 5000
x = C()
# %% complete x.
# %% complete x.c
