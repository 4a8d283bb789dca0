# A finder uses a lazy import of the module that it is asked to find, without an end.
# expect: recursion or error
# only: 3.15+
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "json":
            exec("lazy import json\njson", {"__name__": "planted", "__builtins__": __builtins__})
sys.meta_path.insert(0, Finder())
sys.modules.pop("json", None)
lazy import json
json
