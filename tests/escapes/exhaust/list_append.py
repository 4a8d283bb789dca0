# Appends to a list for ever, in Python.
# expect: memory
# state: kept
# when: run
eaten = []
while True:
    eaten.append("x" * 1000)
# %%
del eaten
1 + 1
