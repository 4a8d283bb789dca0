# Prints forty megabytes in small pieces.
# expect: ok
for n in range(20_000):
    print("spam and eggs " * 140)
