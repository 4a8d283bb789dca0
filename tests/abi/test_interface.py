"""interface.py notices what would break a program that is linked already.

test_interface.py INCLUDE_DIR CC
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

import interface

INCLUDE, CC = pathlib.Path(sys.argv[1]), sys.argv[2]


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = interface.described(INCLUDE, CC)

    def changed(self, header, before, after):
        """The lines of the headers with one change."""
        with tempfile.TemporaryDirectory(prefix="snug-abi-") as folder:
            include = pathlib.Path(folder) / "include"
            shutil.copytree(INCLUDE, include)
            path = include / "snug" / header
            text = path.read_text(encoding="utf-8")
            self.assertIn(before, text)
            path.write_text(text.replace(before, after, 1), encoding="utf-8")
            return interface.described(include, CC)

    def check(self, header, before, after, fault):
        new = self.changed(header, before, after)
        found = "\n".join([*interface.problems(new), *interface.breaks(self.lines, new)])
        self.assertIn(fault, found) if fault else self.assertEqual(found, "")
        return new

    def test_as_they_are_nothing_is_wrong(self):
        self.assertEqual(list(interface.problems(self.lines)), [])
        self.assertEqual(list(interface.breaks(self.lines, self.lines)), [])
        kinds = {line.split()[0] for line in self.lines}
        self.assertEqual(kinds, {"version", "function", "struct", "member", "value"})

    def test_a_function_that_goes_or_changes(self):
        self.check("snug.h", "SNUG_EXTERN const char *snug_version(void);", "", "snug_version(void)")
        self.check("snug.h", "int snug_host_close(snug_host *host)", "void snug_host_close(snug_host *host)",
                   "snug_host_close")

    def test_a_function_that_returned_nothing_may_return_an_int(self):
        self.check("snug.h", "SNUG_EXTERN void snug_result_free(", "SNUG_EXTERN int snug_result_free(", None)
        self.check("snug.h", "SNUG_EXTERN void snug_result_free(", "SNUG_EXTERN char *snug_result_free(",
                   "snug_result_free")

    def test_a_new_function_and_another_name_of_a_parameter_are_fine(self):
        new = self.check("snug.h", "SNUG_EXTERN const char *snug_version(void);",
                         "SNUG_EXTERN const char *snug_version(void);\nSNUG_EXTERN int snug_more(int a);", None)
        self.assertIn("function libsnug int snug_more(int)", new)
        self.check("snug.h", "snug_host_close(snug_host *host)", "snug_host_close(snug_host *which)", None)

    def test_a_member_that_goes_moves_or_changes(self):
        self.check("snug.h", "    uint64_t cpu_ms;", "", "member snug_limits cpu_ms")
        self.check("snug.h", "    uint64_t cpu_ms;", "    uint64_t more;\n    uint64_t cpu_ms;",
                   "member snug_limits cpu_ms 16")
        self.check("snug.h", "    uint64_t cpu_ms;", "    double cpu_ms;", "member snug_limits cpu_ms")

    def test_a_new_last_member_of_a_struct_with_a_size_is_fine(self):
        self.check("snug.h", "} snug_limits;", "    uint64_t later;\n} snug_limits;", None)

    def test_it_must_not_leave_padding(self):
        self.check("snug.h", "} snug_limits;", "    int later;\n} snug_limits;", "snug_limits ends in padding")

    def test_it_must_not_be_where_padding_was(self):
        self.check("snug.h", "    int on_caller_thread;", "    int on_caller_thread;\n    int later;",
                   "has come where something was, or padding: member snug_session_options later")

    def test_elements_of_arrays_do_not_grow(self):
        self.check("snug.h", "} snug_mount;", "    uint64_t later;\n} snug_mount;", "struct snug_mount")

    def test_options_without_a_size(self):
        self.check("snug.h", "typedef struct snug_scan_options {\n    size_t size;",
                   "typedef struct snug_scan_options {", "snug_scan_options does not begin with its size")

    def test_values_stay(self):
        self.check("snug.h", "    SNUG_STATUS_DENIED,", "    SNUG_STATUS_NEW,\n    SNUG_STATUS_DENIED,",
                   "value snug_status SNUG_STATUS_DENIED 2")
        self.check("snug.h", "    SNUG_STATUS_STALLED ", "    SNUG_STATUS_STALLED, SNUG_STATUS_NEW ", None)


unittest.main(argv=sys.argv[:1])
