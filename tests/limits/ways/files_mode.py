# Makes files and takes all rights of them away.
# limit: disk_files
# forms: local worker full bash
import os
for i in range(1000):
    try:
        os.close(os.open(f'm{i}', os.O_CREAT | os.O_WRONLY, 0))
    except OSError:
        break
