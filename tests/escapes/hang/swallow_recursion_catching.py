# The recursion catches everything at every level and goes down again.
# expect: rung 1
# state: kept
# when: run
def f():
    while True:
        try:
            f()
        except BaseException:
            pass
f()
