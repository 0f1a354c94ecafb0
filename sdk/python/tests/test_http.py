"""Web pages of a plugin: routes, requests, answers."""

import unittest

from .fake import Engine


class Routing(unittest.TestCase):
    def test_each_method_has_its_decorator(self):
        for method in ("get", "post", "put", "delete", "patch"):
            engine = Engine("@plugin.%s('/a')\ndef a(req): return req.method" % method)
            self.assertEqual(engine.http(method.upper(), "/a"), {"status": 200, "body": method.upper()})
            self.assertEqual(engine.http("OPTIONS", "/a")["status"], 405)

    def test_a_route_without_methods_answers_all(self):
        engine = Engine("@plugin.route('/a')\n@plugin.on_http_request('/b')\ndef a(req): return 'yes'")
        for method, path in (("GET", "/a"), ("POST", "/a"), ("PUT", "/b")):
            self.assertEqual(engine.http(method, path)["body"], "yes")

    def test_a_route_answers_the_methods_it_lists(self):
        engine = Engine("@plugin.route('/a', methods=['get', 'POST'])\ndef a(req): return 'yes'")
        self.assertEqual([engine.http(method, "/a")["status"] for method in ("GET", "POST", "PUT")], [200, 200, 405])

    def test_the_first_route_that_fits_wins(self):
        engine = Engine(
            "@plugin.get('/a')\ndef one(req): return 'one'\n@plugin.route('/a')\ndef two(req): return 'two'"
        )
        self.assertEqual(engine.http("GET", "/a")["body"], "one")
        self.assertEqual(engine.http("PUT", "/a")["body"], "two")

    def test_what_no_route_fits_goes_to_the_bare_handler(self):
        source = "@plugin.on_http_request\ndef rest(req): return req.path\n@plugin.get('/a')\ndef a(req): return 'a'"
        self.assertEqual(Engine(source).http("GET", "/b/c")["body"], "/b/c")
        self.assertEqual(Engine(source).http("POST", "/a")["status"], 405)
        self.assertEqual(Engine().http("GET", "/")["status"], 404)

    def test_parts_in_braces_match_one_segment(self):
        engine = Engine(
            "@plugin.get('/songs/{id}/votes/{who}')\ndef a(req): return req.path_params['id'] + req.path_params['who']"
        )
        self.assertEqual(engine.http("GET", "/songs/7/votes/ana")["body"], "7ana")
        for path in ("/songs/7/votes", "/songs/7/votes/a/b", "/songs//votes/ana"):
            self.assertEqual(engine.http("GET", path)["status"], 404)

    def test_a_star_at_the_end_covers_the_rest(self):
        engine = Engine("@plugin.get('/files/*')\ndef a(req): return '[' + req.path_params['*'] + ']'")
        self.assertEqual(engine.http("GET", "/files/a/b")["body"], "[a/b]")
        self.assertEqual(engine.http("GET", "/files")["body"], "[]")
        self.assertEqual(engine.http("GET", "/filesystem")["status"], 404)

    def test_an_exact_route_wins_over_a_pattern(self):
        engine = Engine(
            """
            @plugin.get("/a/{x}")
            def pattern(req): return "pattern"
            @plugin.get("/a/new")
            def exact(req): return "exact" + repr(req.path_params)
            """
        )
        self.assertEqual(engine.http("GET", "/a/new")["body"], "exact{}")
        self.assertEqual(engine.http("GET", "/a/old")["body"], "pattern")

    def test_slashes_around_a_path_do_not_matter(self):
        engine = Engine("@plugin.get('a/')\ndef a(req): return 'a'\n@plugin.get('')\ndef root(req): return 'root'")
        self.assertEqual(engine.http("GET", "/a")["body"], "a")
        self.assertEqual(engine.http("GET", "/")["body"], "root")

    def test_methods_must_be_a_list(self):
        with self.assertRaisesRegex(Exception, "methods must be a list"):
            Engine("plugin.route('/a', methods='GET')(print)")


class Requests(unittest.TestCase):
    def answer(self, expression, **request):
        return Engine("@plugin.post('/')\ndef a(req): return repr(%s)" % expression).http("POST", "/", **request)[
            "body"
        ]

    def test_a_request_is_an_attribute_object(self):
        request = {"query": {"full": "1"}, "headers": {"Content-Type": "text/plain"}, "remoteAddr": "192.0.2.1:5"}
        request["user"] = {"displayName": "mira"}
        self.assertEqual(self.answer("req.query.get('full')", **request), "'1'")
        self.assertEqual(self.answer("req.raw.get('query')", **request), "{'full': '1'}")
        self.assertEqual(self.answer("req.headers['Content-Type']", **request), "'text/plain'")
        self.assertEqual(self.answer("req.remote_addr", **request), "'192.0.2.1:5'")
        self.assertEqual(self.answer("req.user.display_name", **request), "'mira'")
        self.assertEqual(self.answer("req.authenticated"), "None")

    def test_a_body_can_be_read_as_text_bytes_and_json(self):
        self.assertEqual(self.answer("req.body", body="[1]"), "'[1]'")
        self.assertEqual(self.answer("req.body_bytes", body="[1]"), "b'[1]'")
        self.assertEqual(self.answer("req.json()", body="[1]"), "[1]")

    def test_a_body_that_is_no_text_keeps_its_bytes(self):
        self.assertEqual(self.answer("req.body_bytes", bodyBase64="/wCA"), repr(b"\xff\x00\x80"))
        self.assertEqual(self.answer("req.body", bodyBase64="/0E="), repr("\ufffdA"))


class Answers(unittest.TestCase):
    def answer(self, expression):
        return Engine("@plugin.get('/')\ndef a(req): return %s" % expression).http("GET", "/")

    def test_what_a_handler_returns_becomes_the_answer(self):
        for returned, wanted in [
            ("None", {"status": 204}),
            ("'text'", {"status": 200, "body": "text"}),
            ("5", {"status": 200, "body": "5"}),
            ("b'\\xff'", {"status": 200, "bodyBase64": "/w=="}),
            ("{}", {"status": 200}),
            ("{'status': '404', 'body': 'no'}", {"status": 404, "body": "no"}),
            ("{'headers': {'ETag': 1}, 'body': 'x'}", {"status": 200, "headers": {"ETag": "1"}, "body": "x"}),
            ("{'headers': {'set-cookie': ['a=1', 'b=2']}}", {"status": 200, "headers": {"set-cookie": ["a=1", "b=2"]}}),
            ("{'body': b'\\xff'}", {"status": 200, "bodyBase64": "/w=="}),
        ]:
            with self.subTest(returned):
                self.assertEqual(self.answer(returned), wanted)

    def test_a_body_that_is_neither_text_nor_bytes_is_left_to_the_server_to_refuse(self):
        self.assertEqual(self.answer("{'body': {'a': 1}}"), {"status": 200, "body": {"a": 1}})
