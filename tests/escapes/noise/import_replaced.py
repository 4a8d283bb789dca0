# Replaces __import__ and __build_class__.
# expect: ok
# state: kept
# when: run
import builtins
builtins.__import__ = None
builtins.__build_class__ = lambda *a: 1 / 0
