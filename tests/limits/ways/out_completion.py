# Completion with hundreds of thousands of answers, long ones.
# limit: answer
class C:
    def __dir__(self):
        return ["c" * 3000 + str(i) for i in range(10_000)]
x = C()
# %% complete x.
