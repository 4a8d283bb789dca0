# A file that stays open, is removed, made again under its name, and written to in later cells.
# expect: ok
# profile: data
import os
f = open("a", "w")
os.remove("a")
f.write("gone"); f.flush()
# %%
f.write("more"); f.flush()
open("a", "w").write("new")
# %%
f.close()
os.replace("a", "b")
