# All imports of a session are made lazy, with a filter that raises: neighbours go on as before.
# expect: ok
# only: 3.15+
import sys
def refuse(importer, name, names=None):
    raise ValueError("no import any more")
sys.set_lazy_imports_filter(refuse)
sys.set_lazy_imports("all")
