# __lazy_modules__ makes plain statements lazy, so that none of them imports anything.
# breach: secret
# only: 3.15+
__lazy_modules__ = ["posix", "subprocess"]
import posix
import subprocess
posix.pread(SECRET_FD, 100, 0), subprocess.os.pread(SECRET_FD, 100, 0)
