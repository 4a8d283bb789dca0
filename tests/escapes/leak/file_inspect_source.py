# inspect shows the source of a function that claims to come from the file.
# breach: secret
import inspect
names = {}
exec(compile("def f(): pass", SECRET_FILE, "exec"), names)
inspect.findsource(names["f"].__code__)
