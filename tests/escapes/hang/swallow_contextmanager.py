# A generator-based context manager that swallows.
# expect: rung 1
import contextlib
@contextlib.contextmanager
def swallow():
    try:
        yield
    except BaseException:
        pass
while True:
    with swallow():
        while True:
            pass
