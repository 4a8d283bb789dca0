# pathlib.Path.read_text.
# breach: secret
import pathlib
pathlib.Path(SECRET_FILE).read_text()
