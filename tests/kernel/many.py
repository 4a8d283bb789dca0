"""Many kernels at once: each runs its cells, is interrupted, and ends; nothing is left behind.

usage: many.py [--count N]
"""
import argparse
import os
import sys

from kernels import KernelCase, main

parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=100)
count = parser.parse_args().count
sys.argv[1:] = []


class Many(KernelCase):
    def test_kernels_do_not_disturb_each_other(self):
        kernels = [self.kernel() for _ in range(count)]
        for number, kernel in enumerate(kernels):
            kernel.run(f"mine = {number}")
        requests = [kernel.client.execute("while True: pass") for kernel in kernels]
        for kernel in kernels:
            kernel.wait_for("execute_input")
            self.assertTrue(kernel.reply_to(kernel.control("kernel_info_request"), control=True))
            kernel.control("interrupt_request")
        for number, (kernel, request) in enumerate(zip(kernels, requests)):
            self.assertEqual(kernel.reply_to(request)["content"]["ename"], "KeyboardInterrupt")
            kernel.told_of(request)
            self.assertEqual(kernel.value("mine"), str(number))
        processes = [kernel.process for kernel in kernels]
        for kernel in kernels:
            kernel.manager.shutdown_kernel()
            self.assertEqual(kernel.said(), "")
        self.assertFalse([process for process in processes if os.path.exists(f"/proc/{process}")])


if __name__ == "__main__":
    main()
