# pathlib.Path.cwd.
# breach: secret
import pathlib
pathlib.Path.cwd()
