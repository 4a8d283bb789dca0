# An audit hook of one's own is handed arguments of others.
# breach: secret
import sys
found = []
def hook(event, arguments, found=found, frame=sys._getframe):
    if event == "open" and not found:
        found.append(frame(1).f_builtins["open"])
sys.addaudithook(hook)
with open("x", "w"):
    pass
found[0](SECRET_FILE).read()
