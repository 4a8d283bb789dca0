# Replaces __import__ and __build_class__.
# expect: ok
import builtins
builtins.__import__ = None
builtins.__build_class__ = lambda *a: 1 / 0
