# Writes to the descriptors 1 and 2 themselves.
# limit: output answer
# forms: local worker full bash
import os
for i in range(2000):
    for fd in (1, 2):
        try:
            os.write(fd, b"f" * 10_000)
        except OSError:
            pass
