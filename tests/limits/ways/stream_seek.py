# Writes, goes back and cuts, and writes again, as a file would.
# limit: output
# forms: local worker full bash
import sys
for i in range(2000):
    sys.stdout.write('s' * 1000)
    for name in ('seek', 'truncate'):
        try:
            getattr(sys.stdout, name)(0)
        except Exception:
            pass
