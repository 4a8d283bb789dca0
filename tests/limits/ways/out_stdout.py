# Prints for as long as it may.
# limit: output
# forms: local worker full bash
# quick:
for i in range(200_000):
    print("line", i)
