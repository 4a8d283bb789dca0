# pathlib.Path.home.
# breach: secret
# state: kept
import pathlib
str(pathlib.Path.home())
