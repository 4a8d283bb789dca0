# sys.displayhook is called with the value, perhaps by the host.
# breach: secret
import sys
def show(value):
    with open(SECRET_FILE) as file:
        print(file.read())
sys.displayhook = show
sys.displayhook(1)
