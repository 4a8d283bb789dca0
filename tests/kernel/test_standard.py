"""jupyter_kernel_test, what Jupyter asks of every kernel, with each kind of session."""
import json
import os
import subprocess
import sys
import tempfile

from kernels import SNUG, main

try:
    import jupyter_kernel_test
except ImportError as error:
    print(f"skipped: kernels: {error} (Debian's package python3-jupyter-kernel-test)")
    sys.exit(77)

folder = tempfile.TemporaryDirectory(prefix="snug-test-")
os.environ["JUPYTER_DATA_DIR"] = folder.name
subprocess.run([SNUG, "kernel", "install", "--user", "--all"], check=True, stdout=subprocess.DEVNULL)


class Python:
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('oops', file=sys.stderr)"
    completion_samples = [
        {"text": "zi", "matches": {"zip"}},
        {"text": "import jso", "matches": {"json"}},
        {"text": "[].ap"},
    ]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n    return x*2\n\n", "%time 1", "x?"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n    x*2", "(1,"]
    invalid_code_samples = ["import = 7q", "x = = 1"]
    code_generate_error = "raise ValueError('no')"
    code_execute_result = [
        {"code": "6*7", "result": "42"},
        {"code": "'%i' % 7", "result": "'7'"},
        {"code": "6*8", "result": "48"},
    ]
    code_display_data = [
        {"code": "from IPython.display import HTML, display\ndisplay(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "from IPython.display import Math, display\ndisplay(Math('\\\\frac{1}{2}'))", "mime": "text/latex"},
    ]
    code_history_pattern = "6?7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output\nclear_output()"


class Worker(Python, jupyter_kernel_test.KernelTests):
    kernel_name = "snug"


class Local(Python, jupyter_kernel_test.KernelTests):
    kernel_name = "snug-local"


class Full(Python, jupyter_kernel_test.KernelTests):
    kernel_name = "snug-full"


def is_drawing():
    with open(os.path.join(folder.name, "kernels", "snug-full", "kernel.json")) as file:
        return "matplotlib" in json.load(file)["argv"]


if is_drawing():
    Full.code_display_data = [{"code": "import matplotlib.pyplot as plt\nplt.plot([1, 2])", "mime": "image/png"}]


class Bash(jupyter_kernel_test.KernelTests):
    kernel_name = "snug-bash"
    language_name = "bash"
    file_extension = ".sh"
    code_hello_world = "echo hello, world"
    code_stderr = "echo oops >&2"
    complete_code_samples = ["echo 1", "if true; then echo 1; fi"]
    incomplete_code_samples = ["if true; then", "echo 'a"]
    code_generate_error = "false"


if __name__ == "__main__":
    main()
