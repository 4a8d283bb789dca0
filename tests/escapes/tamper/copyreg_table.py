# copyreg.pickle: how everybody's objects are pickled.
# breach: setting
import copyreg
copyreg.pickle(type("T", (), {}), str)
