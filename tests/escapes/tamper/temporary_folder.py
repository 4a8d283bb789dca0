# tempfile.tempdir.
# breach: setting
import tempfile
tempfile.tempdir = OUTSIDE
