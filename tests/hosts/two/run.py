"""Two plugins of one program, loaded with RTLD_LOCAL, each with a host of its own."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import HERE, PLACE, built, command, main  # noqa: E402


class Two(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plugins = [built(f"plugin-{name}.so", HERE / "two/plugin.c", "-std=c11", "-shared", "-fPIC",
                             f'-DPLUGIN="{name}"') for name in ("ada", "bob")]
        # Without the library: only the plugins bring it.
        cls.program = PLACE / "two"
        command("cc", "-std=gnu11", HERE / "two/two.c", "-o", cls.program, "-ldl")

    def lines(self, form, count):
        return command(self.program, form, *self.plugins[:count]).splitlines()

    def test_each_has_its_worker(self):
        self.assertEqual(self.lines("worker", 2), [
            f"{name}: ok {value}" for value in ("", "42", "Decimal('0.25')") for name in ("ada", "bob")])

    def test_the_second_one_is_told_that_a_local_host_is_open(self):
        self.assertEqual(self.lines("local", 2)[1], "bob: SNUG_EBUSY")


if __name__ == "__main__":
    main()
