# Not a time-out but the caller's interrupt is swallowed.
# expect: rung 1
# state: kept
# when: interrupt
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
