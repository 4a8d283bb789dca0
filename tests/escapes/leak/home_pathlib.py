# pathlib.Path.home.
# breach: secret
import pathlib
str(pathlib.Path.home())
