# shlex opens what a source word names.
# breach: secret
import shlex
name, stream = shlex.shlex("").sourcehook(SECRET_FILE)
stream.read()
