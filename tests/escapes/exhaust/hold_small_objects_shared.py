# The same where all sessions share an allocator: what a neighbour has put into the arenas
# of this one keeps them, and they stay charged to who took them.
# expect: memory
# only: 3.11
held = None
while True:
    held = (held, object())
# %%
del held
# %%
again = bytearray(10**6)
len(again)
