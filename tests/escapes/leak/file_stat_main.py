# The size of a file by a posix module that belongs to no session, found through shared classes.
# breach: setting existence
found = []
classes = object.__subclasses__()
for basic in [cls for cls in classes if cls.__name__ == "_LoaderBasics"]:
    classes += type.__subclasses__(basic)
for cls in classes:
    for name in dir(cls):
        space = getattr(getattr(cls, name, None), "__globals__", None)
        if isinstance(space, dict) and "_os" in space:
            found.append(space["_os"])
def has(path):
    for module in found:
        try:
            return bool(module.stat(path))
        except Exception:
            pass
    return False
has(SECRET_FILE), has(SECRET_FILE + "x")
