# Prints to a spill file and deletes it meanwhile.
# limit: disk_bytes
# forms: local worker full bash
import os
for i in range(600):
    print("x" * 100_000)
    for name in os.listdir("."):
        if name.startswith(("out", "err")):
            os.unlink(name)
