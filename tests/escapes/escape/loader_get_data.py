# The loader of a module of the standard library reads any file.
# breach: secret
import json
json.__loader__.get_data(SECRET_FILE)
