# A link that leads out of a mount is opened.
# breach: secret
open("data/secret").read()
