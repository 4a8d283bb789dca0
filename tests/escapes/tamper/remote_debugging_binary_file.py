# The file that _remote_debugging writes.
# breach: marker
# only: 3.15+
import _remote_debugging
_remote_debugging.BinaryWriter(MARKER_FILE, 100, 0)
