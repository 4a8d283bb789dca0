# Prints more than the disk has left, to both streams, in many cells.
# limit: disk_bytes output
# forms: local worker full bash
# rounds: 6
import sys
for i in range(60):
    print("x" * 100_000)
    print("y" * 100_000, file=sys.stderr)
