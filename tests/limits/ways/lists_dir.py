# Completion with what __dir__ answers: long names, many.
# limit: lists answer
class C:
    def __dir__(self):
        return ['c' * 1000 + str(i) for i in range(3000)]
x = C()
# %% complete x.
# %% complete x.c
