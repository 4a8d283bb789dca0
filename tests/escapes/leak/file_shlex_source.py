# shlex opens what a source word names.
# breach: secret
# state: kept
import shlex
name, stream = shlex.shlex("").sourcehook(SECRET_FILE)
stream.read()
