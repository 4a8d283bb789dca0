# Calls from before a reset.
# limit: tool_calls
# options: --tool "echo=cat"
import builtins
builtins.kept = echo
builtins.kept(x=1)
# %% reset
# %% cell
for i in range(50):
    try:
        (__builtins__.kept if hasattr(__builtins__, 'kept') else echo)(x=i)
    except Exception:
        pass
