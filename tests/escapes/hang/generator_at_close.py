# A suspended generator has a finally that loops when the session is closed.
# expect: rung 1
# state: any
# when: close
def endless():
    try:
        yield
    finally:
        while True:
            pass
g = endless()
next(g)
