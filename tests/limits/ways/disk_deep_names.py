# The same with paths that grow.
# limit: disk_bytes disk_files
# forms: local worker full bash
import os
path = "."
try:
    for i in range(400):
        path += "/d"
        os.mkdir(path)
        with open(path + "/f", "wb") as f:
            f.write(b"x" * 200_000)
except OSError as error:
    print(i, error)
try:
    for i in range(200):
        with open(f"after{i}", "wb") as f:
            f.write(b"x" * 200_000)
except OSError as error:
    print(i, error)
