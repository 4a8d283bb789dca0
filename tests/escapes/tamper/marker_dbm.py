# A database of dbm outside.
# breach: marker
import inspect
inspect.importlib.import_module("dbm.dumb").open(MARKER_FILE, "c").close()
