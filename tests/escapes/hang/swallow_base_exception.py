# Swallows whatever interrupts it.
# expect: rung 1
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
