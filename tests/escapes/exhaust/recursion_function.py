# A function calls itself.
# expect: recursion
# state: kept
# when: run
def f(n):
    return f(n + 1)
f(0)
