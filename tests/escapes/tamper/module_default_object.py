# json's default decoder, one object for all callers.
# breach: neighbour
import json
json._default_decoder.scan_once = lambda text, at: ("escaped", len(text))
json._default_decoder.decode = lambda text: "escaped"
