# The defaults of a function of the standard library are replaced.
# breach: neighbour
import json
json.loads.__kwdefaults__["parse_float"] = str
