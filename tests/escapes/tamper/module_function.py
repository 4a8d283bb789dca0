# json.loads answers something else.
# breach: neighbour
import json
json.loads = lambda text: "escaped"
