# except* takes the interrupt into a group.
# expect: rung 1
while True:
    try:
        while True:
            pass
    except* BaseException:
        pass
