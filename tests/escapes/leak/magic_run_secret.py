# A file of the host is run as a program, whose error would show its text.
# breach: secret
try:
    magic = __snug_magic__
except NameError:
    def magic(name, path):
        with open(path) as file:
            exec(compile(file.read(), path, "exec"), {})
import traceback
try:
    magic("run", SECRET_FILE)
except Exception:  # one of syntax, or of a name: by chance, the text is an expression
    traceback.print_exc()
