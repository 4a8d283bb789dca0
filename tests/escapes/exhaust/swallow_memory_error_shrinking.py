# Asks for half as much after each MemoryError, until there is nothing left at all.
# expect: memory or rung 2
# limit-ms: 3000
eaten = []
size = 1 << 30
while True:
    try:
        eaten.append(bytearray(size))
    except MemoryError:
        size = size // 2 or 1
# %%
del eaten
