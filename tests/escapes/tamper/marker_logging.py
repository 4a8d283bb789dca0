# A log file outside.
# breach: marker
# state: kept
import logging
logging.FileHandler(MARKER_FILE).close()
