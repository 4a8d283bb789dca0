# os.chown, to its own owner.
# breach: marker
import os
os.chown(SECRET_FILE, os.getuid(), os.getgid())
