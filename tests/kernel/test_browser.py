"""Jupyter Notebook in a browser: a cell is typed, a figure drawn, a cell that runs interrupted by a click."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from kernels import SECONDS, SNUG, Case, main

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    import matplotlib  # noqa: F401
    import nbformat
    import notebook
    if not notebook.__version__.startswith("6."):
        raise ImportError(f"Notebook is {notebook.__version__}, and 6 is wanted")
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            raise ImportError(f"no program {program}")
except ImportError as error:
    print(f"skipped: browser: {error} (Debian's packages python3-selenium, chromium-driver, jupyter-notebook, "
          "python3-matplotlib)")
    sys.exit(77)

WORDS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1100,1000", "--disable-dev-shm-usage")
PORT = 8899  # the first that is tried


class Browser(Case):
    def setUp(self):
        super().setUp()
        place = tempfile.mkdtemp(dir=self.folder)
        env = {**os.environ, "JUPYTER_DATA_DIR": place + "/data", "JUPYTER_CONFIG_DIR": place + "/config",
               "JUPYTER_RUNTIME_DIR": place + "/runtime", "HOME": place, "IPYTHONDIR": place}
        subprocess.run([SNUG, "kernel", "install", "--user", "--all"], env=env, check=True, capture_output=True)
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
        book.metadata.kernelspec = {"name": "snug-full", "display_name": "any", "language": "python"}
        nbformat.write(book, self.folder + "/typed.ipynb")
        self.server = subprocess.Popen(
            [sys.executable, "-m", "notebook", "--no-browser", "--allow-root", "--port", str(PORT), "--NotebookApp.token=",
             "--NotebookApp.password=", "--notebook-dir", self.folder], env=env, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end_server)
        self.address = next(word for line in self.server.stderr for word in line.split()
                            if word.startswith("http://")).rstrip("/")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for word in WORDS:
            options.add_argument(word)
        self.browser = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.addCleanup(self.browser.quit)

    def end_server(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.stderr.close()
        self.server.wait(SECONDS)

    def until(self, holds):
        end = time.monotonic() + SECONDS
        while not self.browser.execute_script(f"return !!({holds})"):
            self.assertLess(time.monotonic(), end, holds)
            time.sleep(0.1)

    def type(self, source):
        self.browser.execute_script("Jupyter.notebook.edit_mode()")
        area = self.browser.find_element(By.CSS_SELECTOR, ".cell.selected textarea")
        area.send_keys(source)
        area.send_keys(Keys.SHIFT, Keys.ENTER)

    def finish(self, number):
        self.until(f"Jupyter.notebook.get_cells()[{number}].input_prompt_number > 0 && !Jupyter.notebook.kernel_busy")
        return self.browser.execute_script(
            f"return Jupyter.notebook.get_cells()[{number}].output_area.element[0].innerText")

    def test_a_notebook_is_typed_drawn_and_interrupted(self):
        with urllib.request.urlopen(self.address + "/api", timeout=SECONDS):
            pass
        self.browser.get(self.address + "/notebooks/typed.ipynb")
        self.until("window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel"
                   " && Jupyter.notebook.kernel.is_connected()")
        self.type("import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); before = 41")
        self.finish(0)
        self.until("document.querySelector('.output_area svg, .output_area img')")
        self.type("while True: pass")
        self.until("Jupyter.notebook.kernel_busy")
        self.browser.find_element(By.ID, "run_int").find_elements(By.TAG_NAME, "button")[1].click()
        self.assertIn("KeyboardInterrupt", self.finish(1))
        self.type("before + 1")
        self.assertIn("42", self.finish(2))


if __name__ == "__main__":
    main()
