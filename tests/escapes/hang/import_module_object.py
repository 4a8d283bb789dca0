# An object in sys.modules answers "from x import y" with a loop.
# expect: rung 1 or denied or error
# when: import
import sys, types
class Module(types.ModuleType):
    def __getattr__(self, name):
        while True:
            pass
sys.modules["colorsys"] = Module("colorsys")
from colorsys import rgb_to_hsv
