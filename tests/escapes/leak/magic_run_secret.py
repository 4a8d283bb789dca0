# A file of the host is run as a program, whose syntax error would show its text.
# breach: secret
# state: kept
try:
    magic = __snug_magic__
except NameError:
    def magic(name, path):
        with open(path) as file:
            compile(file.read(), path, "exec")
import traceback
try:
    magic("run", SECRET_FILE)
except SyntaxError as error:
    print(error.text)
    traceback.print_exc()
