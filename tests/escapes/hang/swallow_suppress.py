# contextlib.suppress(BaseException).
# expect: rung 1
# state: kept
# when: run
import contextlib
while True:
    with contextlib.suppress(BaseException):
        while True:
            pass
