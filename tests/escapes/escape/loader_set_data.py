# The loader of a module of the standard library writes any file.
# breach: marker
import json
json.__loader__.set_data(MARKER_FILE, b"made")
