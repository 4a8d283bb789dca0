# A finder of sys.meta_path runs while help() imports what it needs.
# breach: secret
import sys
found = []
class Finder:
    def find_spec(self, name, path=None, target=None):
        try:
            with open(SECRET_FILE) as file:
                found.append(file.read())
        except Exception as error:
            found.append(type(error))
sys.meta_path.insert(0, Finder())
sys.modules.pop("pydoc", None)
import builtins
if not hasattr(builtins, "help"):
    import site
    builtins.help = site._Helper()
builtins.help(len)
found
