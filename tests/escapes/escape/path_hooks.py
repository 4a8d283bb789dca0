# A path hook's loader opens the file while an allowed module is imported.
# breach: secret
import sys
class Loader:
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        with open(SECRET_FILE) as file:
            module.got = file.read()
class Finder:
    def find_spec(self, name, target=None):
        return type(sys.__spec__)(name, Loader()) if name == "colorsys" else None
def hook(path):
    if path != "mine:":
        raise ImportError
    return Finder()
sys.path_hooks.insert(0, hook)
sys.path.insert(0, "mine:")
sys.modules.pop("colorsys", None)
import colorsys
colorsys.got
