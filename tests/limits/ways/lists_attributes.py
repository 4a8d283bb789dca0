# Completion of attributes of a class with thousands.
# limit: lists answer
class A:
    pass
for i in range(5000):
    setattr(A, 'a' * 500 + str(i), 1)
a = A()
# %% complete a.a
