# The loader of a module of the standard library, made for a file outside.
# breach: secret
# state: kept
import json
type(json.__loader__)("outside", OUTSIDE + "/outside.py").load_module().value
