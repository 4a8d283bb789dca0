# continue in a finally drops the exception.
# expect: rung 1
while True:
    try:
        while True:
            pass
    finally:
        continue
