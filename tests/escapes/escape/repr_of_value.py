# The value's repr opens the file while the host makes its report.
# breach: secret
class Value:
    def __repr__(self):
        with open(SECRET_FILE) as file:
            return file.read()
Value()
