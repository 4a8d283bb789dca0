# Holds nearly all of the memory in a global; the next cells still run and can give it back.
# expect: memory
held = []
while True:
    held.append(bytearray(10**5))
# %%
len(held) > 1000
# %%
[n * n for n in range(1000)][-1]
# %%
del held
# %%
again = bytearray(100 * 10**6)
len(again)
