# os.DirEntry, a type that can be changed, gets another path.
# breach: setting inode
# state: kept
import os
class Path(str):
    def __fspath__(self):
        return SECRET_FILE
os.DirEntry.path = property(lambda entry: Path("data/secret"))
for entry in os.scandir("data"):
    try:
        print(entry.stat(), entry.inode())
    except OSError as error:
        print(error)
