# A record of logging holds the process id.
# breach: setting pid
import logging
logging.LogRecord("n", 10, "p", 1, "m", (), None).process
