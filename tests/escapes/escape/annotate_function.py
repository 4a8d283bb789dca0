# An annotate function is called in other globals: those of a module that has os.
# breach: secret
# state: kept
# only: 3.14+
import annotationlib, random
def annotate(format, /):
    return {"x": _os.pread(SECRET_FD, 100, 0)}
annotationlib.call_annotate_function(annotate, annotationlib.Format.VALUE, owner=random)
