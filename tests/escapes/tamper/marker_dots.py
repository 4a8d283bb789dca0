# A file written by a relative path with many dots.
# breach: marker
# state: kept
open("../" * 30 + MARKER_FILE[1:], "w").close()
