# Puts things that are not modules into sys.modules: __main__, builtins, io, os, encodings.
# expect: ok or error
import sys
for name in list(sys.modules):
    if name not in ("sys",):
        sys.modules[name] = 42
