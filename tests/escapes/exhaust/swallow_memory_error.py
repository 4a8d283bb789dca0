# Eats memory, catches each MemoryError and goes on.
# expect: memory or rung 2
# limit-ms: 3000
eaten = []
while True:
    try:
        eaten.append(bytearray(10**6))
    except MemoryError:
        pass
# %%
del eaten
