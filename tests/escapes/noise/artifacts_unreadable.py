# Files and folders without any permission are left behind.
# expect: ok
# profile: data
import os
os.makedirs("closed/in/it")
open("closed/in/it/a", "w").close()
open("a", "w").close()
os.chmod("a", 0)
os.chmod("closed/in", 0)
# %%
try:
    open("b", "w").close()
except OSError:
    pass  # who is not root cannot look through "closed/in": the disk counts as full
os.chmod("closed", 0)
# %%
try:
    os.chmod("closed", 0o700)
except PermissionError:
    pass  # modes are changed by descriptor, and only root opens this one
