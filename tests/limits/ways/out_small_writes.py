# Writes a character at a time, to both streams by turns.
# limit: output answer
# forms: local worker full bash
import sys
for i in range(100_000):
    sys.stdout.write("o")
    sys.stderr.write("e")
