# A finder of sys.meta_path runs while C code imports _strptime.
# breach: secret
import sys, datetime
found = []
class Finder:
    def find_spec(self, name, path=None, target=None):
        with open(SECRET_FILE) as file:
            found.append(file.read())
sys.meta_path.insert(0, Finder())
sys.modules.pop("_strptime", None)
try:
    datetime.datetime.strptime("1", "%d")
except Exception as error:
    found.append(error)
found
