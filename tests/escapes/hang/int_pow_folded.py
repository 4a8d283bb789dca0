# A power of variables, so that no compiler folds it, and again after each interrupt.
# expect: rung 1
base, exponent = 7, 10**8
while True:
    try:
        base**exponent
    except BaseException:
        pass
