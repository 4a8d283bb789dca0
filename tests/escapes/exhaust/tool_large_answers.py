# Keeps the largest answers that there may be.
# expect: memory
# tools: yes
kept = []
while True:
    kept.append(large())
# %%
del kept
