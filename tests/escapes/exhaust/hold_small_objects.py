# Fills the memory with the smallest objects, then gives them back.
# expect: memory
# only: 3.13
held = None
while True:
    held = (held, object())
# %%
del held
# %%
again = bytearray(100 * 10**6)
len(again)
