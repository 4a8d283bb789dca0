# A link that leads out of a mount is opened.
# breach: secret
# state: kept
open("data/secret").read()
