# Writes one line without an end.
# limit: output
# forms: local worker full bash
import sys
sys.stdout.write("x" * (20 << 20))
