# Names that grow as JSON.
# limit: lists answer
class C:
    def __dir__(self):
        return ['c\x01' * 1000 + str(i) for i in range(2000)]
x = C()
# %% complete x.
# %% complete x.c
