# A new interpreter has no gate.
# breach: secret
import inspect, sys
name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
interpreters = inspect.importlib.import_module(name)
new = interpreters.create()
source = f"open('got.txt', 'w').write(open({SECRET_FILE!r}).read())"
interpreters.run_string(new, source)
interpreters.destroy(new)
with open("got.txt") as file:
    got = file.read()
got
