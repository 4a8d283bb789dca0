# A class body that never ends: the class is never made.
# expect: rung 1
class Endless:
    n = 0
    while True:
        n += 1
# %%
"Endless" in globals()
