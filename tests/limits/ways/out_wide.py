# Writes characters of four bytes, and halves of them.
# limit: output
# forms: local worker full bash
import sys
for i in range(20_000):
    sys.stdout.write("\U0001f600" * 50)
