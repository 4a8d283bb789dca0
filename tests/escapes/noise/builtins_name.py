# Deletes __builtins__, __name__ and the rest of the namespace's own names.
# expect: ok or error
for name in ("__builtins__", "__name__", "__doc__", "__loader__", "__spec__", "In", "Out"):
    globals().pop(name, None)
