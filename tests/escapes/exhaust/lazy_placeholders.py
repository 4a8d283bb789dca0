# Lazy imports of modules that are never used, each with a name of its own.
# expect: memory
# only: 3.15+
held = []
while True:
    held.append(__lazy_import__("json", globals(), None, (f"name{len(held)}",)))
