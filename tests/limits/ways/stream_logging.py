# Logs through handlers.
# limit: output
# forms: local worker full bash
import logging
logging.basicConfig(level=0)
for i in range(5000):
    logging.error("l" * 1000)
