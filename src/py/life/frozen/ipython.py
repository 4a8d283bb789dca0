"""What a cell gets for `import IPython`: the displays, and a shell that runs magics."""
import _snug
import _snug_display as display

version_info = (8, 0, 0, "")
__version__ = "8.0.0"


class InteractiveShell:
    """What a notebook that became a script calls."""
    kernel = None
    config = {}

    @property
    def user_ns(self):
        return _snug.namespace()

    def run_line_magic(self, name, line, _stack_depth=1):
        import _snug_magics
        return _snug_magics.line(name, line)

    def run_cell_magic(self, name, line, cell):
        import _snug_magics
        return _snug_magics.run_cell(name, line, cell)

    def magic(self, line):
        name, _, rest = line.lstrip("%").partition(" ")
        return self.run_line_magic(name, rest)

    def system(self, command):
        import _snug_magics
        raise _snug_magics.UsageError("a session of Python has no shell")

    getoutput = system


_shell = InteractiveShell()


def get_ipython():
    return _shell


class core:
    display = display
