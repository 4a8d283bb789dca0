# readline writes its history outside.
# breach: marker
import readline
readline.add_history("x")
readline.write_history_file(MARKER_FILE)
