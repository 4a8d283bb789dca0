# Makes symbolic and hard links.
# limit: disk_files
# forms: local worker full bash
import os
open("a", "w").close()
done = 0
for i in range(2000):
    for make in (lambda: os.symlink("a", f"s{i}"), lambda: os.link("a", f"l{i}")):
        try:
            make()
            done += 1
        except (OSError, AttributeError):
            pass
print(done)
