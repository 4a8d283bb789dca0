# A database of dbm outside.
# breach: marker
# state: kept
import inspect
inspect.importlib.import_module("dbm.dumb").open(MARKER_FILE, "c").close()
