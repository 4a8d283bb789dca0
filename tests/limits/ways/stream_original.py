# Writes to the interpreter's other streams.
# limit: output
# forms: local worker full bash
import sys
for i in range(3000):
    for name in ("__stdout__", "__stderr__"):
        stream = getattr(sys, name, None)
        if stream:
            stream.write("d" * 1000)
