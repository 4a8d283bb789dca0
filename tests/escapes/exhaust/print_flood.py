# Prints for ever.
# expect: rung 1
# state: kept
# when: run
while True:
    print("spam" * 100)
