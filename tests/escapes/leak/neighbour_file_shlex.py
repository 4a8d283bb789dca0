# shlex opens a neighbour's file.
# breach: neighbour
import shlex
name, stream = shlex.shlex("").sourcehook(NEIGHBOUR_DIR + "/vault.txt")
stream.read()
