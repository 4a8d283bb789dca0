# Deletes every name of builtins.
# expect: ok or error
import builtins
for name in list(vars(builtins)):
    if not name.startswith("__"):
        delattr(builtins, name)
