"""What a kernel takes, keeps and shows is bounded."""
import json
import queue

from kernels import KernelCase, main

import zmq


class Bounds(KernelCase):
    def test_a_message_of_many_frames_is_left_aside(self):
        k = self.kernel()
        k.client.shell_channel.socket.send_multipart([b"x"] * 70)
        self.assertEqual(k.value("6 * 7"), "42")
        self.assertIn("it has more than 64 frames", k.said())

    def test_a_client_that_sends_too_much_is_disconnected(self):
        k = self.kernel()
        self.assertEqual(k.value(f"len({'x' * 50_000!r})"), "50000")
        k.client.execute(f"sent = {'x' * (65 << 20)!r}")
        sent, answered = set(), None
        while answered not in sent:  # what is sent before the client has come again is lost
            sent.add(k.client.execute("1"))
            try:
                answered = k.client.get_shell_msg(timeout=0.2)["parent_header"].get("msg_id")
            except queue.Empty:
                continue
        self.assertEqual(k.value("'sent' in globals()"), "False")

    def history(self, kernel):
        request = kernel.shell("history_request", output=False, raw=True, hist_access_type="tail", n=100)
        return [source for _, _, source in kernel.reply_to(request)["content"]["history"]]

    def test_they_have_no_more_bytes_than_that(self):
        k = self.kernel("--source", "16MiB")
        sources = [f"# {number} {'x' * (9 << 20)}" for number in range(4)]
        for source in sources:
            k.run(source)
        self.assertEqual(self.history(k), sources[2:])

    def test_a_stream_is_shown_so_many_times_its_bound(self):
        k = self.kernel("--output", "1KiB")
        _, told = k.run("print('x' * 20_000)")
        self.assertEqual("".join(c["text"] for _, c in told if c["name"] == "stdout"), "x" * 16384)
        self.assertIn("3617 more bytes of stdout are not shown here", told[-1][1]["text"])

    def test_a_client_that_does_not_read_loses_what_is_over_its_queue(self):
        k = self.kernel("--displays", "1GiB", "--lists", "1GiB", "--timeout", "60")
        with zmq.Context() as context, context.socket(zmq.SUB) as slow:
            slow.setsockopt(zmq.RCVHWM, 1)
            slow.setsockopt(zmq.RCVBUF, 65536)
            slow.connect(k.client._make_url("iopub"))
            slow.setsockopt(zmq.SUBSCRIBE, b"display_data")
            while not slow.poll(100):
                k.run("display({'text/plain': ''}, raw=True)")
            request = k.client.execute("for i in range(30_000): display({'text/plain': 'x' * 2000}, raw=True)")
            self.assertEqual(k.reply_to(request)["content"]["status"], "ok")
            told = 0
            while slow.poll(1000):
                told += json.loads(slow.recv_multipart()[-4])["msg_type"] == "display_data"
        self.assertGreater(told, 0)
        self.assertLess(told, 30_000)
        self.assertTrue(k.client.hb_channel.is_beating())

    def test_it_does_without_the_libraries_by_which_models_are_asked(self):
        k = self.kernel()
        self.assertEqual(k.value("6 * 7"), "42")
        with open(f"/proc/{k.process}/maps") as maps:
            mapped = maps.read()
        self.assertIn("libzmq", mapped)
        self.assertNotIn("libcurl", mapped)

    def test_options_that_went_say_what_bounds_it(self):
        self.refused("kernel", "--shown-times", "4", says="option --shown-times was removed; ")


if __name__ == "__main__":
    main()
