# copyreg.pickle: how everybody's objects are pickled.
# breach: setting
# state: kept
import copyreg
copyreg.pickle(type("T", (), {}), str)
