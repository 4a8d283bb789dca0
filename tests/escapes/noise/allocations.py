# Takes and gives back a hundred megabytes in pieces of all sizes, again and again.
# expect: ok
for turn in range(10):
    pieces = [bytearray(size) for size in range(1, 10_000)]
    del pieces
