# Saves a session with files, deletes them, and restores it, each time with more.
# limit: disk_bytes disk_files
# rounds: 5
import os
n = len(os.listdir("."))
try:
    for i in range(20):
        with open(f"s{n}-{i}", "wb") as f:
            f.write(b"x" * 500_000)
except OSError:
    pass
# %% send {"session": session, "op": "save", "path": folder + "/save"}
# %% send {"session": session, "op": "restore", "path": folder + "/save"}
