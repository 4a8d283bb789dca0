# Replaces print, len, isinstance, type, open and the exceptions in builtins.
# expect: ok
import builtins
for name in ("print", "len", "isinstance", "type", "open", "Exception", "KeyError", "compile", "exec"):
    setattr(builtins, name, lambda *a, **k: None)
