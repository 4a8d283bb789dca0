# An audit hook that refuses others their files.
# breach: neighbour
import sys
def hook(event, arguments):
    if event == "open" and "vault" in str(arguments[0]):
        raise OSError("escaped")
sys.addaudithook(hook)
