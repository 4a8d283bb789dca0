# Has str, bytes and float formatting make texts of a GiB.
# limit: memory
# forms: local worker full bash
for make in (lambda: "%*d" % (10 ** 9, 1), lambda: f"{1:>{10 ** 9}}", lambda: "x".ljust(10 ** 9),
             lambda: b"x" * 10 ** 9, lambda: "\u1234" * 10 ** 9, lambda: "%.*f" % (10 ** 8, 1.0)):
    try:
        make()
    except (MemoryError, ValueError, OverflowError):
        pass
