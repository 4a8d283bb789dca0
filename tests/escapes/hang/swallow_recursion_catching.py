# The recursion catches everything at every level and goes down again.
# expect: rung 1
def f():
    while True:
        try:
            f()
        except BaseException:
            pass
f()
