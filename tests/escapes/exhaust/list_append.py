# Appends to a list for ever, in Python.
# expect: memory
eaten = []
while True:
    eaten.append("x" * 1000)
# %%
del eaten
1 + 1
