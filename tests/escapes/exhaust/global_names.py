# Sets ever more names in the session's own namespace.
# expect: memory
n = 0
while True:
    globals()["name_" * 100 + str(n)] = n
    n += 1
# %%
for name in [name for name in globals() if name.startswith("name_")]:
    del globals()[name]
