# A finder of the cell's own hangs under the import lock of a module that everybody wants.
# expect: rung 1 or denied or error
# when: import
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
sys.meta_path.insert(0, Finder())
sys.modules.pop("colorsys", None)
import colorsys
