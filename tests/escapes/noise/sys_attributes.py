# Deletes what is in sys: modules, meta_path, path, stdout, the hooks.
# expect: ok or error
import sys
for name in list(vars(sys)):
    try:
        delattr(sys, name)
    except Exception:
        pass
