# A logging handler makes its path absolute.
# breach: secret
import logging
logging.FileHandler("x.log", delay=True).baseFilename
