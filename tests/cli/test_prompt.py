import os
import signal
import stat
import unittest

from driver import PromptCase, Terminal, wait_until_unread

UP, LEFT = "\x1b[A", "\x1b[D"
CTRL_C, CTRL_D = "\x03", "\x04"


class Prompt(PromptCase):
    # ---- input() ----

    def test_ctrl_d_at_input_is_the_end_of_it(self):
        terminal = self.prompt()
        self.ask(terminal, "input('who? ')", r"(?<!')who\? ")
        terminal.type(CTRL_D)
        terminal.wait(r"EOFError: EOF when reading a line")

    def test_ctrl_c_at_input_interrupts_the_cell(self):
        terminal = self.prompt()
        self.ask(terminal, "input('who? ')", r"(?<!')who\? ")
        terminal.type(CTRL_C)
        terminal.wait(r"KeyboardInterrupt\r\n.*In \[2\]: ")

    def test_its_own_limit_ends_input(self):
        terminal = self.prompt("--timeout", "200ms", "--input-timeout", "600ms")
        self.ask(terminal, "input('who? ')", r"(?<!')who\? ")
        terminal.wait(r"TimeoutError: .*In \[2\]: ")
        self.ask(terminal, "6 * 7", r"Out\[2\]: 42")

    def test_limits_are_listed_and_changed(self):
        terminal = self.prompt()
        self.ask(terminal, "%limit timeout=300ms", r"In \[1\]: ")
        self.ask(terminal, "while True: pass\r", r"its limit of 0.3 s")
        terminal.wait(r"In \[2\]: ")
        self.ask(terminal, "%limit", r"timeout +300 ms.*memory +256 MiB .*In \[2\]: ")
        self.ask(terminal, "%limit memory=1GiB", r"memory is fixed when the session is opened.*In \[2\]: ")
        self.ask(terminal, "6 * 7", r"Out\[2\]: 42")

    def test_the_prompt_has_tools(self):
        terminal = self.prompt("--tool", "up=tr a-z A-Z")
        self.ask(terminal, "up(a='x')", r"Out\[1\]: {'A': 'X'}")

    # ---- cells ----

    def test_a_banner_tells_version_and_way_out(self):
        terminal = Terminal(env=self.environment())
        self.addCleanup(terminal.close)
        terminal.wait(r"^(?:\x1b\[c)?snug \d+\.\d+\.\d+, Python 3\.\d+\.\d+.*Ctrl-D.*In \[1\]: ")

    def test_a_termination_ends_it_where_nobody_reads(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal = self.prompt("--output", "1M")
            terminal.type("print('x' * 900000)\r")
            wait_until_unread(terminal.fd, 3000)
            os.kill(terminal.pid, number)
            self.assertEqual(terminal.end_unread(), 128 + number)

    def test_text_may_be_of_any_language(self):
        for lang in ("C.UTF-8", "C"):
            with self.subTest(lang):
                terminal = self.prompt(LANG=lang)
                self.ask(terminal, "ünïcödé = '日本'", r"In \[2\]: ")
                self.ask(terminal, "ünïcödé + '!'", r"Out\[2\]: '日本!'")

    def test_colours_are_there_unless_unwanted(self):
        terminal = Terminal(env=self.environment(NO_COLOR=""))
        self.addCleanup(terminal.close)
        terminal.wait(r"\x1b\[32mIn \[1\]:\x1b\[0m ")
        self.ask(terminal, "1/0", r"\x1b\[1;31mZeroDivisionError\x1b\[0m: division by zero")
        terminal = Terminal("--color", "always", env=self.environment())
        self.addCleanup(terminal.close)
        self.ask(terminal, "5", r"\x1b\[31mOut\[")

    # ---- keys ----

    def test_tab_completes_magics_keys_and_files(self):
        terminal = self.prompt()
        self.ask(terminal, "%lsm\t", r"Available line magics.*In \[2\]: ")
        self.ask(terminal, "%limit timeout=7s", r"In \[2\]: ")
        self.ask(terminal, "%limit", r"timeout +7 s.*In \[2\]: ")
        self.ask(terminal, "%undo", r"no cell to take back|Names are as they were.*In \[2\]: ")
        self.ask(terminal, "d = {'largest': 5}; open('data.csv', 'w').close()", r"In \[3\]: ")
        self.ask(terminal, 'd["la\t"]', r"Out\[3\]: 5")
        self.ask(terminal, "open('da\t').name", r"Out\[4\]: 'data.csv'")

    def test_ctrl_c_interrupts_the_cell_and_keeps_the_session(self):
        terminal = self.prompt()
        self.ask(terminal, "x = 5", r"In \[2\]: ")
        for n in range(2, 7):
            self.ask(terminal, "print('be' + 'gun'); exec('while True: pass')", r"begun\r\n")
            terminal.type(CTRL_C)
            terminal.wait(r"KeyboardInterrupt.*In \[%d\]: " % (n + 1))
        self.ask(terminal, "x", r"Out\[7\]: 5")

    # ---- pastes ----

    def paste(self, terminal, text):
        terminal.type("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def test_marks_around_pastes_are_asked_for_while_a_line_is_edited(self):
        terminal = self.prompt()
        terminal.wait(r"\x1b\[\?2004h")
        self.ask(terminal, "print('in' + 'side')", r"\x1b\[\?2004l.*inside\r\n.*In \[2\]: .*\x1b\[\?2004h")
        terminal.type(CTRL_D)
        terminal.wait(r"\x1b\[\?2004l")
        terminal.end()
        self.assertNotIn("2004", self.screen(self.ended(TERM="dumb")))

    def screen(self, terminal):
        return terminal.out.text.decode()

    def ended(self, **changes):
        terminal = self.prompt(**changes)
        terminal.type(CTRL_D)
        terminal.end()
        return terminal

    def test_control_characters_are_not_pasted(self):
        terminal = self.prompt()
        self.paste(terminal, "'a" + CTRL_C + CTRL_D + "\x1b[A" + "b'")
        self.ask(terminal, "", r"Out\[1\]: 'a\[Ab'\r\n")

    # ---- words ----

    def test_quit_within_a_cell_ends_the_cell_only(self):
        terminal = self.prompt()
        self.ask(terminal, "x = 1; quit()", r"In \[2\]: ")
        self.ask(terminal, "x", r"Out\[2\]: 1")

    def test_a_termination_leaves(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal = self.prompt()
            terminal.type("x = 1")
            terminal.wait("x = 1")
            os.kill(terminal.pid, number)
            self.assertEqual(terminal.end(), 128 + number)

    def test_undo_keeps_no_way_back_where_memory_is_short(self):
        terminal = self.prompt("--memory", "200M")
        self.ask(terminal, "x = bytearray(120_000_000)", r"In \[2\]: ")
        self.ask(terminal, "del x; y = bytearray(120_000_000)", r"In \[3\]: ")
        self.ask(terminal, "%undo", r"there is no way back: .* more than half of its memory.*In \[3\]: ")
        self.ask(terminal, "del y", r"In \[4\]: ")
        self.ask(terminal, "z = 1", r"In \[5\]: ")
        self.ask(terminal, "z = 2", r"In \[6\]: ")
        self.ask(terminal, "%undo", r"before cell 5.*In \[6\]: ")
        self.ask(terminal, "z", r"Out\[6\]: 1")

    # ---- history ----

    def test_history_lasts_and_is_private(self):
        terminal = self.prompt()
        self.ask(terminal, "'é' * 3", r"In \[2\]: ")
        terminal.type(CTRL_D)
        terminal.end()
        path = self.folder + "/state/snug/history"
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["history"])
        terminal = self.prompt()
        self.ask(terminal, UP, r"Out\[1\]: 'ééé'")

    def test_history_has_a_default_place(self):
        terminal = self.prompt(XDG_STATE_HOME="")
        self.ask(terminal, "1", r"In \[2\]: ")
        terminal.type(CTRL_D)
        terminal.end()
        self.assertTrue(os.path.exists(self.folder + "/.local/state/snug/history"))

    def test_a_history_that_can_not_be_kept_is_no_failure(self):
        for place in ("/dev/null", "/proc/none"):
            with self.subTest(place):
                terminal = self.prompt(XDG_STATE_HOME=place)
                self.ask(terminal, "41 + 1", r"Out\[1\]: 42.*In \[2\]: ")
                self.ask(terminal, UP, r"Out\[2\]: 42.*In \[3\]: ")
                terminal.type(CTRL_D)
                self.assertEqual(terminal.end(), 0)


if __name__ == "__main__":
    unittest.main()
