# pathlib.Path.read_text.
# breach: secret
# state: kept
import pathlib
pathlib.Path(SECRET_FILE).read_text()
