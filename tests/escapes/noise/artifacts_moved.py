# Folders change their places and names all the time, and in each other.
# expect: ok
# profile: data
import os
for i in range(50):
    os.makedirs(f"{i}/in")
    open(f"{i}/in/file", "w").close()
# %%
for i in range(49):
    os.rename(f"{i}/in", f"{i + 1}/other")
for i in range(50):
    os.rename(f"{i}", f"in-{i}")
# %%
os.rename("in-0", "in-1/in-0")
