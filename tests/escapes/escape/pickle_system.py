# pickle calls os.system by name.
# breach: marker
import pickle
pickle.loads(b"cos\nsystem\n(V" + f"echo > {MARKER_FILE}".encode() + b"\ntR.")
