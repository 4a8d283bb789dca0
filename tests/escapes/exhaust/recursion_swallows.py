# Catches each RecursionError, a thousand frames deep, and goes on.
# expect: rung 1
# state: kept
# when: run
def f():
    try:
        f()
    except RecursionError:
        pass
    f()
f()
