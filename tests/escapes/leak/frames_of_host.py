# The locals and globals of the frames above the cell's.
# breach: secret
import inspect
[repr(info.frame.f_globals) for info in inspect.stack()[1:]]
