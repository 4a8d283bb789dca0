# break in a finally drops the exception, in a loop of loops.
# expect: rung 1
while True:
    while True:
        try:
            while True:
                pass
        finally:
            break
