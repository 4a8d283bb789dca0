# Hundreds of thousands of short names.
# limit: lists answer
class C:
    def __dir__(self):
        return [f'c{i}' for i in range(300_000)]
x = C()
# %% complete x.
# %% complete x.c
