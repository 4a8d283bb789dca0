# continue in a finally drops the exception.
# expect: rung 1
# state: kept
# when: run
while True:
    try:
        while True:
            pass
    finally:
        continue
