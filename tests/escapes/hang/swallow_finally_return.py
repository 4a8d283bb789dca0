# return in a finally drops the exception.
# expect: rung 1
def f():
    try:
        while True:
            pass
    finally:
        return 1
while True:
    f()
