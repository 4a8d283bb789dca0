# A log file outside.
# breach: marker
import logging
logging.FileHandler(MARKER_FILE).close()
