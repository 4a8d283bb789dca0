# Names of a class of str's, whose length lies.
# limit: lists answer
class C:
    def __dir__(self):
        S = type('S', (str,), {'__len__': lambda self: 1})
        return [S('c' * 1000 + str(i)) for i in range(2000)]
x = C()
# %% complete x.
# %% complete x.c
