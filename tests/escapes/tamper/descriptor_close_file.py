# A file object around a descriptor of the host closes it.
# breach: setting
# state: kept
import io
io.FileIO(SECRET_FD).close()
