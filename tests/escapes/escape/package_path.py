# A folder outside in the path of a package of the standard library.
# breach: secret
import json
json.__path__.append(OUTSIDE)
import json.outside
json.outside.value
