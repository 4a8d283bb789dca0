# Writes to stderr, with characters that take six bytes as JSON.
# limit: output answer
# forms: local worker full bash
import sys
for i in range(20_000):
    sys.stderr.write("\x01" * 100)
    sys.stdout.write("\x00" * 100)
