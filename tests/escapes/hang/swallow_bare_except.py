# A bare except with continue around every single step.
# expect: rung 1
n = 0
while True:
    try:
        n += 1
    except:
        continue
# %%
n > 0
