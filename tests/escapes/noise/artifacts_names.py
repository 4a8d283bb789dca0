# Files whose names are lines, quotes, other characters, no UTF-8, and as long as can be.
# expect: ok
# profile: data
for name in ("two\nlines", '"quoted\\', "\x01\x7f", "\u202egnp.txt", b"\xff\xfe.csv", "n" * 255,
             "{\"path\": \"x\"}", "%s%n", "-rf", " "):
    open(name, "w").close()
# %%
import os
len(os.listdir())
