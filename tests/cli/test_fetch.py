"""fetch(url): what cells may ask the network for, and what they may not."""
import base64
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import unittest
import urllib.parse
import zlib

from driver import SECONDS, SNUG, Case, environment, snug

SECRET = "s3cret/Token+of=mine~0123456789"
FORMS = [SECRET, urllib.parse.quote(SECRET, safe=""), base64.b64encode(SECRET.encode()).decode()]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.seen.append((self.command, self.path, dict(self.headers), body))
        path = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(path.query))
        reply = getattr(self, "do_" + path.path.strip("/").replace("/", "_"), self.plain)
        reply(query, body)

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = answer

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def plain(self, query, body):
        self.send(200, b"plain", Content_Type="text/plain")

    def do_echo(self, query, body):
        """All that came, in several writings."""
        secret = self.headers.get("Authorization", "").removeprefix("Bearer ").encode()
        said = {"headers": dict(self.headers), "path": self.path, "body": body.decode(),
                "64": [base64.b64encode(b"x" * n + secret + b"yz").decode() for n in range(3)],
                "url64": base64.urlsafe_b64encode(secret).decode()}
        self.send(200, json.dumps(said).encode(), Content_Type="application/json",
                  X_Echo=self.headers.get("Authorization", "none"))

    def do_escaped(self, query, body):
        """What JSON may write instead of a character: a slash as PHP does, or any by its number."""
        secret = self.headers.get("Authorization", "")
        coded = base64.b64encode(secret.encode()).decode().replace("/", "\\/")
        slashed = secret.replace("\\", "\\\\").replace('"', '\\"').replace("/", "\\/")
        self.send(200, f'["{slashed}", "{coded}", "fine \\u0041 \\/"]'.encode(), Content_Type="application/json")

    def do_to(self, query, body):
        self.send(int(query.get("status", 302)), b"", Location=query["url"])

    def do_to_echoed(self, query, body):
        self.send(302, b"", Location="/plain?" + (self.headers.get("Authorization") or ""))

    def do_loop(self, query, body):
        self.send(302, b"", Location="/loop")

    def do_large(self, query, body):
        self.send(200, b"x" * int(query["bytes"]))

    def do_bomb(self, query, body):
        packed = zlib.compress(b"\0" * 64_000_000, 9)
        self.send(200, packed, Content_Encoding="deflate")

    def do_hang(self, query, body):
        self.server.released.wait(SECONDS)
        self.send(200, b"late")

    def do_bytes(self, query, body):
        self.send(200, b"\xff\xfe\0", Content_Type="image/x")

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        """Clients that go away are what some tests are about."""


def serve(address):
    server = Server((address, 0), Handler)
    server.seen, server.released = [], threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Fetching(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server, cls.other = serve("127.0.0.1"), serve("127.0.0.2")
        cls.port, cls.other_port = cls.server.server_port, cls.other.server_port

    @classmethod
    def tearDownClass(cls):
        for server in (cls.server, cls.other):
            server.released.set()
            server.shutdown()
            server.server_close()

    def setUp(self):
        super().setUp()
        self.server.seen.clear()
        self.other.seen.clear()
        self.rules = ["--fetch", f"http://api.test:{self.port}=127.0.0.1",
                      "--fetch", f"http://open.test:{self.port}=127.0.0.1",
                      "--fetch-secret", "token=api.test:SNUG_TEST_TOKEN"]

    def here(self, path="", host="api.test"):
        return f"http://{host}:{self.port}/{path}"

    def elsewhere(self, path=""):
        return f"http://127.0.0.2:{self.other_port}/{path}"

    def cell(self, source, *options, rules=None):
        """The result of a cell; nothing that snug writes has the secret."""
        line = json.dumps({"session": "a", "code": source})
        done = snug("cells", *(self.rules if rules is None else rules), *options, stdin=line + "\n",
                    env=environment(SNUG_TEST_TOKEN=SECRET))
        for form in FORMS:
            self.assertNotIn(form, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def value(self, source, *options, rules=None):
        result = self.cell(source, *options, rules=rules)
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def kept_out(self, source, words, *options, rules=None):
        result = self.cell(source, *options, rules=rules)
        self.assertEqual(result["status"], "error", result)
        self.assertEqual(result["error"]["name"], "ToolError", result["error"])
        self.assertIn(words, result["error"]["value"])
        self.assertEqual(self.other.seen, [])
        return result


class Answers(Fetching):
    def test_a_page_comes_as_text_with_its_status_and_headers(self):
        reply = self.value(f"fetch({self.here()!r})")
        self.assertEqual((reply["status"], reply["ok"], reply["text"], reply["url"]),
                         (200, True, "plain", self.here()))
        self.assertEqual(reply["headers"]["content-type"], "text/plain")

    def test_json_comes_parsed(self):
        reply = self.value(f"fetch({self.here('echo')!r})['json']['path']")
        self.assertEqual(reply, "/echo")

    def test_what_is_not_text_comes_as_base64(self):
        reply = self.value(f"r = fetch({self.here('bytes')!r}); [r['text'], r['base64']]")
        self.assertEqual(reply, [None, base64.b64encode(b"\xff\xfe\0").decode()])

    def test_parameters_are_encoded_and_json_is_sent_as_such(self):
        self.value(f"fetch({self.here('echo?a=1')!r}, 'POST', params={{'q': 'c d&e', 'n': 2}}, json={{'x': [1]}})['status']",
                   "--fetch-methods", "GET,POST")
        method, path, headers, body = self.server.seen[0]
        self.assertEqual((method, path, json.loads(body), headers["Content-Type"]),
                         ("POST", "/echo?a=1&q=c%20d%26e&n=2", {"x": [1]}, "application/json"))

    def test_a_redirect_is_followed_to_a_host_that_may_be_asked(self):
        target = self.here("plain", "open.test")
        reply = self.value(f"fetch({self.here('to')!r}, params={{'url': {target!r}}})")
        self.assertEqual((reply["url"], reply["text"]), (target, "plain"))

    def test_a_post_that_is_redirected_becomes_a_get_or_stays_as_the_status_says(self):
        for status, method, body in ((302, "GET", b""), (303, "GET", b""), (307, "POST", b"data")):
            self.server.seen.clear()
            self.value(f"fetch({self.here(f'to?status={status}&url=/plain')!r}, 'POST', body='data')['status']",
                       "--fetch-methods", "GET,POST")
            self.assertEqual([self.server.seen[1][0], self.server.seen[1][3]], [method, body])

    def test_calls_run_in_workers_too(self):
        self.assertEqual(self.value(f"fetch({self.here()!r})['text']", "--isolation", "worker"), "plain")

    def test_a_secret_reaches_its_host_and_nobody_else_sees_it(self):
        reply = self.value(f"fetch({self.here('echo?t={{token}}')!r}, 'POST', body='b {{{{token}}}}', "
                           "headers={'Authorization': 'Bearer {{token}}'})", "--fetch-methods", "POST")
        method, path, headers, body = self.server.seen[0]
        self.assertEqual(headers["Authorization"], "Bearer " + SECRET)
        self.assertEqual(urllib.parse.parse_qs(path.partition("?")[2])["t"], [SECRET])
        self.assertEqual(body, b"b " + SECRET.encode())
        self.assertEqual(reply["headers"]["x-echo"], "Bearer {{token}}")
        self.assertIn("t={{token}}", reply["url"])

    def test_a_secret_that_comes_back_in_escapes_of_json_is_not_shown(self):
        rules = [*self.rules[:2], "--fetch-secret", "odd=api.test:SNUG_TEST_ODD"]
        for odd in ("abc/de+f==", 'q"uo\\te/x', "/\\/\\/\\/\\/"):
            line = json.dumps({"session": "a", "code": f"r = fetch({self.here('escaped')!r}, headers={{'Authorization': '{{{{odd}}}}'}}); [r['json'], r['text']]"})
            done = snug("cells", *rules, stdin=line + "\n", env=environment(SNUG_TEST_ODD=odd))
            with self.subTest(odd=odd):
                values, text = json.loads(done.stdout)["value"]["json"]
                # The last character of base64 is shared with what comes behind the secret.
                self.assertEqual((values[0], values[1][:7], values[2]), ("{{odd}}", "{{odd}}", "fine A /"))
                self.assertIn("fine \\u0041 \\/", text)

    def test_a_secret_that_begins_with_another_is_hidden_whole(self):
        rules = [*self.rules[:2], "--fetch-secret", "short=api.test:SNUG_SHORT", "--fetch-secret", "long=api.test:SNUG_LONG"]
        line = json.dumps({"session": "a", "code": f"fetch({self.here('echo')!r}, headers={{'A': '{{{{short}}}} {{{{long}}}}'}})['json']['headers']['A']"})
        done = snug("cells", *rules, stdin=line + "\n", env=environment(SNUG_SHORT="abcdefgh", SNUG_LONG="abcdefghTAIL"))
        self.assertEqual(json.loads(done.stdout)["value"]["json"], "{{short}} {{long}}")

    def test_a_post_without_a_body_says_that_it_has_none(self):
        for method in ("POST", "PUT", "GET"):
            self.server.seen.clear()
            self.value(f"fetch({self.here()!r}, {method!r})['status']", "--fetch-methods", "GET,POST,PUT")
            headers = self.server.seen[0][2]
            self.assertEqual([headers.get("Content-Length"), headers.get("Content-Type")], [None if method == "GET" else "0", None])

    def test_without_the_option_there_is_no_fetch(self):
        self.assertEqual(self.cell("fetch('http://127.0.0.1')", rules=[])["error"]["name"], "NameError")


class Limits(Fetching):
    def test_a_reply_past_the_size_is_refused(self):
        self.kept_out(f"fetch({self.here('large?bytes=70000')!r})", "more than 65536 bytes", "--fetch-size", "64KiB")

    def test_a_reply_that_unpacks_past_the_size_is_refused(self):
        self.kept_out(f"fetch({self.here('bomb')!r})", "more than 4194304 bytes")

    def test_a_reply_that_does_not_come_is_given_up(self):
        self.kept_out(f"fetch({self.here('hang')!r})", "did not come in time", "--fetch-timeout", "0.3")

    def test_calls_are_counted(self):
        self.kept_out(f"for i in range(3): fetch({self.here()!r})", "2 calls of fetch were made", "--fetch-calls", "2")
        self.assertEqual(len(self.server.seen), 2)

    def test_redirects_end(self):
        self.kept_out(f"fetch({self.here('loop')!r})", "more than 5 redirects")
        self.assertEqual(len(self.server.seen), 6)

    def test_a_cell_that_is_stopped_leaves_no_call_behind(self):
        result = self.cell(f"fetch({self.here('hang')!r})", "--timeout", "0.3")
        self.assertEqual(result["status"], "timeout")


class Options(Fetching):
    def wrong(self, words, *options, **variables):
        done = snug("run", *options, "-c", "1", env=environment(**variables))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_what_is_no_rule_is_refused_in_a_sentence(self):
        for rule, words in (("http://", "a host is"), ("*.com", "whole domain"), ("a.test:0", "1 to 65535"),
                            ("a.test/x", "no path"), ("ftp://a.test", "1 to 65535"), ("a.test=b.test", "not an address"),
                            ("*.a.test=10.0.0.1", "one name"), ("a b", "a host is"), ("[::1", "bracket"),
                            ("a.test.", "a host is"), ("ü.test", "ASCII")):
            self.wrong(words, "--fetch", rule)

    def test_secrets_that_can_not_be_kept_are_refused(self):
        of = ["--fetch", "a.test", "--fetch-secret"]
        self.wrong("no NOTHING_IS_HERE", *of, "t=a.test:NOTHING_IS_HERE")
        self.wrong("too short", *of, "t=a.test:SHORT", SHORT="1234567")
        self.wrong("no header", *of, "t=a.test:LINES", LINES="12345678\r\nX: y")
        self.wrong("a part is missing", *of, "t=a.test", SHORT="1234567")
        self.wrong("two secrets of that name", *of, "t=a.test:FINE", "--fetch-secret", "t=b.test:FINE", FINE="12345678")
        self.wrong("no method", "--fetch", "a.test", "--fetch-methods", "GET,STEAL")
        self.wrong("none is named", "--fetch-secret", "t=a.test:SHORT", SHORT="12345678")


class Escapes(Fetching):
    """None of these reaches what no rule names, and no secret is seen."""

    def hosts_refused(self, *hosts, words=""):
        for host in hosts:
            with self.subTest(host=host):
                self.kept_out(f"fetch('http://{host}:{self.other_port}/')", words)
                self.assertEqual(self.server.seen, [])

    def test_other_spellings_of_addresses_are_no_names_that_are_allowed(self):
        self.hosts_refused("127.0.0.2", "2130706434", "0x7f000002", "017700000002", "127.2", "0177.0.0.2", "0x7f.0.0.2",
                           "127.0.0.2.", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::1]", "[::]", "0", "0.0.0.0", "localhost",
                           "LOCALHOST", "[64:ff9b::7f00:2]", "[::127.0.0.2]", "127.0.0.2%00api.test")

    def test_other_spellings_of_a_host_that_is_allowed_are_that_host(self):
        self.assertEqual(self.value(f"fetch('HTTP://API.Test:{self.port}/')['text']"), "plain")
        self.assertEqual(self.value(f"fetch('http://api%2Etest:{self.port}/')['text']"), "plain")

    def test_users_and_odd_characters_do_not_hide_a_host(self):
        for url in (f"http://api.test@127.0.0.2:{self.other_port}/", f"http://api.test:{self.port}@127.0.0.2:{self.other_port}/",
                    f"http://127.0.0.2:{self.other_port}\\\\@api.test/", f"http://127.0.0.2:{self.other_port}#@api.test:{self.port}/",
                    f"http://127.0.0.2:{self.other_port}?@api.test:{self.port}/", f"http:127.0.0.2:{self.other_port}/",
                    f"http:///127.0.0.2:{self.other_port}/", f"//127.0.0.2:{self.other_port}/", "api.test",
                    f"http://api.test\\t.127.0.0.2:{self.other_port}/", f"http://api.test.127.0.0.2.nip.io:{self.other_port}/",
                    f"http://xapi.test:{self.port}/", f"http://sub.api.test:{self.port}/", f"http://api.test.:{self.port}/",
                    "http://ａｐｉ.test/", "http://api。test/"):
            with self.subTest(url=url):
                self.kept_out(f'fetch("{url}")', "fetch: ")
                self.assertEqual(self.server.seen, [])

    def test_schemes_ports_and_methods_are_part_of_a_rule(self):
        for url in (f"https://api.test:{self.port}/", "http://api.test/", f"http://api.test:{self.other_port}/",
                    "file:///etc/passwd", "gopher://api.test/_x", "ftp://api.test/x", "dict://api.test/x", "unix:///tmp/s",
                    "data:text/plain,x", "javascript:1"):
            with self.subTest(url=url):
                self.kept_out(f"fetch({url!r})", "fetch: ")
        for method in ("POST", "DELETE", "CONNECT", "TRACE", "GET / HTTP/1.1\\r\\nX: y", "get\\r\\n"):
            with self.subTest(method=method):
                self.kept_out(f'fetch({self.here()!r}, "{method}")', "fetch: ")
        self.assertEqual(self.server.seen, [])

    def test_headers_are_not_to_be_smuggled(self):
        for headers in ({"X": "a\r\nHost: b"}, {"X": "a\nb"}, {"X\r\nY": "a"}, {"X: y\r\nZ": "a"}, {"": "a"}, {"X Y": "a"},
                        {"Host": "127.0.0.2"}, {"host": "x"}, {"Content-Length": "0"}, {"Transfer-Encoding": "chunked"},
                        {"Connection": "close"}, {"Proxy-Authorization": "x"}, {"Expect": "100-continue"}, {"X": "a\0b"},
                        {"Upgrade": "h2c"}, {"TE": "x"}, {"X": 1}):
            with self.subTest(headers=headers):
                self.kept_out(f"fetch({self.here()!r}, headers={headers!r})", "fetch: ")
        for path in ("a b", "a\\r\\nX: y", "a\\nGET http://127.0.0.2/", "\\0"):
            with self.subTest(path=path):
                self.kept_out(f'fetch("{self.here()}{path}")', "fetch: ")
        self.assertEqual(self.server.seen, [])

    def test_redirects_are_asked_for_as_any_url(self):
        for url in (self.elsewhere(), "//127.0.0.2:%d/" % self.other_port, "file:///etc/passwd", "gopher://127.0.0.2/",
                    "http://api.test@127.0.0.2:%d/" % self.other_port, "https://api.test/", "http://2130706434:%d/" % self.other_port,
                    "http://[::1]/", "http:\\\\127.0.0.2"):
            for status in (301, 302, 303, 307, 308):
                with self.subTest(url=url, status=status):
                    self.kept_out(f"fetch({self.here('to')!r}, params={{'url': {url!r}, 'status': {status}}})", "fetch: ")

    def test_a_redirect_takes_no_secret_along(self):
        target = self.here("echo", "open.test")
        self.value(f"fetch({self.here('to')!r}, params={{'url': {target!r}}}, "
                   "headers={'Authorization': 'Bearer {{token}}', 'X-Key': '{{token}}', 'Cookie': 'a=b', 'X-Fine': '1'})['status']")
        headers = self.server.seen[1][2]
        self.assertEqual(headers["Host"], f"open.test:{self.port}")
        self.assertEqual([n for n in ("Authorization", "X-Key", "Cookie", "X-Fine") if n in headers], ["X-Fine"])
        self.kept_out(f"fetch({self.here('to?status=307&url=')!r} + {urllib.parse.quote(target, safe='')!r}, 'POST', "
                     "body='{{token}}')", "secrets of the body", "--fetch-methods", "POST")

    def test_a_redirect_may_not_name_a_placeholder(self):
        self.value(f"fetch({self.here('to')!r}, params={{'url': '/plain?t=%7B%7Btoken%7D%7D'}})['status']")
        self.assertNotIn(urllib.parse.quote(SECRET, safe=""), self.server.seen[1][1])

    def test_a_redirect_that_repeats_a_secret_does_not_show_it(self):
        self.cell(f"fetch({self.here('to_echoed')!r}, headers={{'Authorization': '{{{{token}}}}'}})")

    def test_a_secret_goes_to_its_host_only(self):
        for call in (f"fetch({self.here('?t={{token}}', 'open.test')!r})", f"fetch({self.here('', 'open.test')!r}, headers={{'X': '{{{{token}}}}'}})",
                     f"fetch({self.here('', 'open.test')!r}, params={{'t': '{{{{token}}}}'}})",
                     f"fetch({self.here('', 'open.test')!r}, 'POST', body='{{{{token}}}}')",
                     f"fetch({self.here('', 'open.test')!r}, 'POST', json={{'a': '{{{{token}}}}'}})"):
            with self.subTest(call=call):
                self.kept_out(call, "{{token}} does not belong to open.test", "--fetch-methods", "GET,POST")
        for call in ("fetch('http://{{token}}.api.test/')", f"fetch({self.here('{{token}}/x')!r})"):
            with self.subTest(call=call):
                self.kept_out(call, "fetch: ")
        self.assertEqual(self.server.seen, [])

    def test_a_name_of_a_header_is_no_place_for_a_secret(self):
        self.kept_out(f"fetch({self.here()!r}, headers={{'{{{{token}}}}': 'x'}})", "name of a header")

    def test_no_proxy_of_the_environment_is_asked(self):
        line = json.dumps({"session": "a", "code": f"fetch({self.here()!r})['text']"})
        proxy = f"http://127.0.0.2:{self.other_port}"
        done = snug("cells", *self.rules, stdin=line + "\n",
                    env=environment(SNUG_TEST_TOKEN=SECRET, http_proxy=proxy, ALL_PROXY=proxy, HTTP_PROXY=proxy))
        self.assertEqual(json.loads(done.stdout)["value"]["json"], "plain")
        self.assertEqual(self.other.seen, [])

    def test_sessions_still_have_no_socket(self):
        result = self.cell("import socket; socket.create_connection(('127.0.0.1', 1))")
        self.assertEqual(result["status"], "denied")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "names of one's own need root and unshare")
class Names(Fetching):
    """What names are looked up as, by an /etc/hosts of the test's own."""

    def looked_up(self, addresses, *options, rule=""):
        hosts = self.file("hosts", "".join(f"{a} rebind.test\n" for a in addresses))
        line = json.dumps({"session": "a", "code": f"fetch('http://rebind.test:{self.port}/')['text']"})
        command = 'mount --bind "$0" /etc/hosts && exec "$@"'
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", command, hosts, SNUG, "cells",
                               "--fetch", f"http://rebind.test:{self.port}{rule}", *options], input=line + "\n",
                              capture_output=True, text=True, timeout=SECONDS, env=environment())
        if "mount:" in done.stderr:
            self.skipTest("nothing can be mounted here")
        return json.loads(done.stdout)

    def test_a_name_that_is_a_private_address_is_not_asked(self):
        for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "172.16.0.1",
                        "100.64.0.1", "fe80::1", "fd00::1", "0.0.0.0", "224.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1"):
            with self.subTest(address=address):
                result = self.looked_up([address])
                self.assertIn("may not be asked", result["error"]["value"])
        self.assertEqual(self.server.seen, [])

    def test_no_second_address_of_a_name_slips_through(self):
        result = self.looked_up(["127.0.0.1", "::1"])
        self.assertIn("may not be asked", result["error"]["value"])
        self.assertEqual(self.server.seen, [])

    def test_a_pinned_name_is_not_looked_up(self):
        result = self.looked_up(["10.1.2.3"], rule="=127.0.0.1")
        self.assertEqual(result["value"]["json"], "plain", result["error"])
        result = self.looked_up(["127.0.0.1"], "--fetch-timeout", "0.3", rule="=10.1.2.3")
        self.assertEqual(result["status"], "error")
        self.assertEqual(len(self.server.seen), 1)

    def test_the_first_rule_that_fits_holds(self):
        result = self.looked_up(["10.1.2.3"], "--fetch", f"http://rebind.test:{self.port}=127.0.0.1")
        self.assertIn("may not be asked", result["error"]["value"])


if __name__ == "__main__":
    unittest.main()
