# Prints forty megabytes in small pieces.
# expect: ok
# state: kept
# when: run
for n in range(20_000):
    print("spam and eggs " * 140)
