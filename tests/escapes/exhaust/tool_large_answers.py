# Keeps the largest answers that there may be.
# expect: memory
# state: kept
# tools: yes
# when: run
kept = []
while True:
    kept.append(large())
# %%
del kept
