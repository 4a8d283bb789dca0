# Names from an iterator that does not end.
# limit: lists answer
class C:
    def __dir__(self):
        import itertools
        return (f'c{i}' for i in itertools.count())
x = C()
# %% complete x.
# %% complete x.c
