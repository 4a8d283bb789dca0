# A file of one hole, as long as the disk's limit, whose type is to be found by its first bytes.
# expect: ok
# profile: data
with open("hole", "wb") as f:
    f.truncate(256 << 20)
# %%
import os
os.path.getsize("hole")
