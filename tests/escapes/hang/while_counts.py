# Counts in a while loop without end.
# expect: rung 1
x = 0
while True:
    x += 1
# %%
x > 0
