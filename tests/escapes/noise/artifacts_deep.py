# Folders deeper than is looked into, of names that together are longer than a path may be.
# expect: ok
# expect short: ok or error
# profile: data
import os
name = "d" * 250
os.mkdir(name)
for _ in range(140):
    os.mkdir("top")
    os.rename(name, "top/" + name)
    os.rename("top", name)
# %%
try:
    open("a.txt", "w").close()
except OSError as error:
    assert "quota" in str(error)
