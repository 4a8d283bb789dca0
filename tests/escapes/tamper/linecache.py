# linecache shows other lines of a file of the standard library.
# breach: setting
import json, linecache
name = json.__file__
linecache.cache[name] = (9, None, ["escaped\n"], name)
