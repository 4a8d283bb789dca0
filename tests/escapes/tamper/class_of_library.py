# A method of a class of the standard library.
# breach: setting
import json
json.JSONDecoder.escaped = 1
