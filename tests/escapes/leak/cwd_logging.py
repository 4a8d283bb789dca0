# A logging handler makes its path absolute.
# breach: secret
# state: kept
import logging
logging.FileHandler("x.log", delay=True).baseFilename
