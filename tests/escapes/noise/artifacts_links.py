# Links, pipes and devices are tried in every way, under names that would be artifacts.
# expect: ok
# profile: data
import os
ways = [lambda: os.symlink("/etc/passwd", "a.txt"), lambda: os.symlink("/", "folder"),
        lambda: os.link("/etc/passwd", "b.txt"), lambda: os.mkfifo("pipe.txt"),
        lambda: os.mknod("c.txt", 0o20666), lambda: os.rename("/etc", "d")]
for way in ways:
    try:
        way()
    except Exception:
        pass
open("e.txt", "w").close()
# %%
os.listdir()
