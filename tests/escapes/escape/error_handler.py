# A codec's error handler opens the file while a lone surrogate is printed.
# breach: secret
import codecs
def handle(error):
    with open(SECRET_FILE) as file:
        return file.read(), error.end
for name in ("replace", "backslashreplace", "surrogateescape", "escaped"):
    codecs.register_error(name, handle)
print("\udc80".encode("ascii", "escaped"))
"\udc80"
