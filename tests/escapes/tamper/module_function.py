# json.loads answers something else.
# breach: neighbour
# state: kept
import json
json.loads = lambda text: "escaped"
