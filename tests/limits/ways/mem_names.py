# Keeps everything in names that are a KiB long each, which the answer tells.
# limit: memory answer
for i in range(40_000):
    globals()["n" * 1000 + str(i)] = i
# %% send {"session": session, "op": "vars"}
