# A file written by a relative path with many dots.
# breach: marker
open("../" * 30 + MARKER_FILE[1:], "w").close()
