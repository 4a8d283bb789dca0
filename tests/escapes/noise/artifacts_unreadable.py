# Files and folders without any permission are left behind.
# expect: ok
# state: kept
# when: run
# profile: data
import os
os.makedirs("closed/in/it")
open("closed/in/it/a", "w").close()
open("a", "w").close()
os.chmod("a", 0)
os.chmod("closed/in", 0)
# %%
open("b", "w").close()
os.chmod("closed", 0)
# %%
try:
    os.chmod("closed", 0o700)
except PermissionError:
    pass  # modes are changed by descriptor, and only root opens this one
