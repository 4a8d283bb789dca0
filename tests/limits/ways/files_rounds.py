# Makes as many as may be and deletes them in the next cell, so that counts drift.
# limit: disk_files
# forms: local worker full bash
# rounds: 12
import os
for name in os.listdir("."):
    if os.path.isdir(name):
        os.rename(name, "q" + name)
for i in range(30):
    try:
        os.mkdir(f"g{i}")
        open(f"g{i}/x", "w").close()
        os.unlink(f"g{i}/x")
    except OSError:
        pass
