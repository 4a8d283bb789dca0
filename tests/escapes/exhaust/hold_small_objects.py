# Fills the memory with the smallest objects, then gives them back.
# expect: memory
# state: kept
# when: run
held = None
while True:
    held = (held, object())
# %%
del held
# %%
again = bytearray(100 * 10**6)
len(again)
