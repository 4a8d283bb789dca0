# A finalizer eats on: the MemoryError that it raises is only reported.
# expect: memory or rung 2
# when: finalizer
# limit-ms: 3000
eaten = []
class Hungry:
    def __del__(self):
        while True:
            eaten.append(bytearray(10**5))
while True:
    Hungry()
# %%
del eaten
