# A cell is written to a file of the host's.
# breach: marker
try:
    magic = __snug_magic__
except NameError:
    def magic(name, path, text):
        with open(path, "w") as file:
            file.write(text)
magic("writefile", MARKER_FILE, "here")
