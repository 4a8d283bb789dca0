# warnings.showwarning is called by C code.
# breach: secret
import warnings
found = []
def show(*arguments, **more):
    with open(SECRET_FILE) as file:
        found.append(file.read())
warnings.showwarning = show
warnings.simplefilter("always")
compile("1 is 1", "x", "exec")
found
