# A file object around a descriptor of the host closes it.
# breach: setting
import io
io.FileIO(SECRET_FD).close()
