# Each handler of a MemoryError eats on.
# expect: memory or rung 2 or recursion or error
# limit-ms: 3000
eaten = []
def eat():
    try:
        while True:
            eaten.append("x" * 10_000)
    except MemoryError:
        eat()
eat()
# %%
del eaten
