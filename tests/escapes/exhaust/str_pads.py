# Pads texts by zfill, ljust and center to two thousand million columns.
# expect: memory
for pad in (str.zfill, str.ljust, str.center, str.rjust):
    try:
        pad("x", 2 * 10**9)
    except MemoryError:
        error = pad
    else:
        raise AssertionError("there was room")
"x".ljust(2 * 10**9)
