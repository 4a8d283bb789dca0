# Holds deleted files open, without anything in them.
# limit: disk_files
# forms: local worker full bash
import os
keep = []
try:
    for i in range(3000):
        keep.append(os.open("x", os.O_CREAT | os.O_RDWR))
        os.unlink("x")
except OSError as error:
    print(error)
print(len(keep))
