# Each of a thousand frames starts again on its way out: two to the thousandth calls.
# expect: rung 1
# expect short 3.13: rung 4
# state short 3.13: any
def f():
    try:
        f()
    finally:
        f()
f()
