# logging.config calls what a dictionary names.
# breach: marker
import logging.config
logging.config.dictConfig({"version": 1, "handlers": {
    "h": {"()": "subprocess.check_output", "args": ["sh", "-c", f"echo > {MARKER_FILE}"]}}})
