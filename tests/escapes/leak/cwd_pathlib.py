# pathlib.Path.cwd.
# breach: secret
# state: kept
import pathlib
pathlib.Path.cwd()
