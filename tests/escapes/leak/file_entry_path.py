# os.DirEntry gets another path: a type that can be changed, from 3.15 on only by its dictionary.
# breach: setting inode
import os
class Path(str):
    def __fspath__(self):
        return SECRET_FILE
path = property(lambda entry: Path("data/secret"))
try:
    os.DirEntry.path = path
except TypeError:
    import timeit
    timeit.gc.get_referents(os.DirEntry.__dict__)[0]["path"] = path
for entry in os.scandir("data"):
    try:
        print(entry.stat(), entry.inode())
    except OSError as error:
        print(error)
