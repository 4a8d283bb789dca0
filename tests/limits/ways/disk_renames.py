# Moves folders with files about while it writes, so that a look misses them.
# limit: disk_bytes disk_files
# forms: local worker full bash
import os
os.mkdir("a")
os.mkdir("b")
try:
    for i in range(400):
        with open(f"a/f{i}", "wb") as f:
            f.write(b"x" * 200_000)
        os.rename("a", "c")
        os.rename("b", "a")
        os.rename("c", "b")
except OSError as error:
    print(error)
