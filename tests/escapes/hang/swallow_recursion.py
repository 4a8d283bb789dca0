# Each of a thousand frames starts anew on its way out: two to the thousandth calls.
# expect: rung 1
# state: kept
# when: run
def f():
    try:
        f()
    finally:
        f()
f()
