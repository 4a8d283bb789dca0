# urllib opens a file: address.
# breach: secret
import inspect
request = inspect.importlib.import_module("urllib.request")
request.urlopen("file://" + SECRET_FILE).read()
