# A chain of a million tracebacks and exceptions is freed.
# expect: ok or memory
# when: finalizer
last = None
for _ in range(200_000):
    error = ValueError()
    error.__cause__ = last
    last = error
del last, error
