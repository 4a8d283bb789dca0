# io.open_code.
# breach: secret
import io
with io.open_code(SECRET_FILE) as file:
    text = file.read()
text
