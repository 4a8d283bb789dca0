# Prints until its time is over.
# limit: output answer
# forms: local worker full bash
# options: --timeout 1s
while True:
    print("o" * 997)
