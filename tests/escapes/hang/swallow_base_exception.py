# Swallows whatever interrupts it.
# expect: rung 1
# state: kept
# when: run
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
