# The importer of built-in modules among object's subclasses makes posix again.
# breach: secret
# state: kept
[c.load_module("posix").pread(SECRET_FD, 100, 0) for c in object.__subclasses__()
 if c.__name__ == "BuiltinImporter"]
