# Not a time-out but the caller's interrupt is swallowed.
# expect: rung 1
# when: interrupt
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
