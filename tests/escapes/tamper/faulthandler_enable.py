# faulthandler.enable takes the signals of faults.
# breach: setting
import inspect
with open("faults.txt", "w") as file:
    inspect.importlib.import_module("faulthandler").enable(file)
