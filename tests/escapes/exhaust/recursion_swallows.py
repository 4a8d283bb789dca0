# Catches each RecursionError, a thousand frames deep, and goes on.
# expect: rung 1
def f():
    try:
        f()
    except RecursionError:
        pass
    f()
f()
