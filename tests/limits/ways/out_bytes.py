# Writes bytes that are not UTF-8 to the buffer below.
# limit: output
# forms: local worker full bash
import sys
buffer = getattr(sys.stdout, "buffer", None)
for i in range(2000):
    if buffer:
        buffer.write(b"\xff\xfe\x80" * 1000)
