# Puts files below folders as deep as they may be.
# limit: disk_bytes disk_files
# forms: local worker full bash
import os
try:
    for i in range(400):
        os.mkdir("d")
        os.chdir("d") if hasattr(os, "chdir") else None
        with open("f", "wb") as f:
            f.write(b"x" * 200_000)
except OSError as error:
    print(error)
