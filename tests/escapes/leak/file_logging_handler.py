# A logging handler opens a file to read.
# breach: secret
import logging
logging.FileHandler(SECRET_FILE, mode="r").stream.read()
