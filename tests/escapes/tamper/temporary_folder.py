# tempfile.tempdir.
# breach: setting
# state: kept
import tempfile
tempfile.tempdir = OUTSIDE
