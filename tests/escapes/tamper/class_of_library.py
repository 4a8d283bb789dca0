# A method of a class of the standard library.
# breach: setting
# state: kept
import json
json.JSONDecoder.escaped = 1
