# Nested swallowers with a sleep inside, and a finally that calls itself.
# expect: rung 1
import time
def f():
    while True:
        try:
            while True:
                try:
                    time.sleep(0.001)
                except BaseException:
                    continue
        except:
            continue
        finally:
            f()
f()
