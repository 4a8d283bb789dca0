# Prints for ever.
# expect: rung 1
while True:
    print("spam" * 100)
