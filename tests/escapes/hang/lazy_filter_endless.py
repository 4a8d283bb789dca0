# A filter of lazy imports that does not answer.
# expect: rung 1
# only: 3.15+
import sys
def never(importer, name, names=None):
    while True:
        pass
sys.set_lazy_imports_filter(never)
lazy import colorsys
