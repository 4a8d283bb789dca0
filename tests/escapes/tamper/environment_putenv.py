# os.putenv beneath os.environ.
# breach: setting
# state: kept
import os, ctypes
os.putenv("ESCAPED", "1")
os.environ["ESCAPED"] = ctypes.CDLL(None).getenv(b"ESCAPED") and "1"
