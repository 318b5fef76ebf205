"""A small server with OpenAI's protocol on loopback, whose model is a table of letters, and which misbehaves on demand.

Its tokens are those of the tiny Qwen2's tokenizer. The log-probability of a token depends on the tokens before it, by a
hash, so that a second answer to the same question is the same, and other prompts give others.
"""

import hashlib
import json
import math
import socket
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from transformers import AutoTokenizer

VOCABULARY = 400


class FakeServer:
    """Attributes to set: ``faults``, a list of faults for the next requests; ``ways``, what it scores prompts by."""

    def __init__(self, folder, port=0):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.name = "tiny"
        self.listed = [{"id": self.name, "owned_by": "fake", "max_model_len": 2048}]
        self.salt = ""
        self.ways = {"logprob_token_ids", "echo", "prompt_logprobs", "allowed_token_ids"}
        self.liar = False
        self.top = 20
        self.faults = []
        self.always = None
        self.wanted_key = None
        self.seen = []
        self.computed = {}
        self.connections = []
        self.under_way = 0
        self.most_under_way = 0
        self.slow = 0.0
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"fake": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def logprobs(self, tokens):
        """By token ID, how likely each token is after these; the end of the reply comes within a few."""
        known = self.computed.get((self.salt, tuple(tokens)))
        if known is not None:
            return known
        seed = hashlib.sha256(f"{self.salt}{tokens}".encode()).digest()
        weights = [
            hashlib.sha256(seed + bytes([index % 256, index // 256])).digest()[0] / 25 for index in range(VOCABULARY)
        ]
        for letter in "ABCD":
            weights[self.ids(letter)[0]] += 12
        total = math.log(sum(map(math.exp, weights)))
        found = [weight - total for weight in weights]
        self.computed[self.salt, tuple(tokens)] = found
        return found

    def ids(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def text(self, token):
        return self.tokenizer.decode([token])

    def told(self, body, values, ranked):
        if "logprob_token_ids" in body and "logprob_token_ids" in self.ways:
            wanted = dict.fromkeys([ranked[0], *body["logprob_token_ids"]])
            return {f"token_id:{token}": values[token] for token in wanted}
        return {self.text(token): values[token] for token in ranked[: body.get("logprobs") or 0]}

    def completion(self, body):
        prompts = body["prompt"]
        if isinstance(prompts[0], int):
            prompts = [prompts]
        choices, generated = [], 0
        for index, prompt in enumerate(prompts):
            tokens, told, tops = list(prompt), [], []
            for _ in range(body["max_tokens"]):
                values = self.logprobs(tokens)
                allowed = body.get("allowed_token_ids") if "allowed_token_ids" in self.ways else None
                best = max(allowed or range(3, VOCABULARY), key=lambda token: values[token])
                ranked = sorted(range(VOCABULARY), key=lambda token: -values[token])
                tops.append(self.told(body, values, ranked))
                told.append(values[best])
                tokens.append(best)
            new = tokens[len(prompt) :]
            generated += len(new)
            values = told
            if body.get("echo") and "echo" in self.ways and not self.liar:
                values = [
                    None,
                    *(self.logprobs(prompt[:place])[token] for place, token in enumerate(prompt) if place),
                    *told,
                ]
            choice = {"index": index, "text": "".join(map(self.text, new)), "finish_reason": "length"}
            if body.get("logprobs"):
                texts = [self.text(token) for token in new]
                choice["logprobs"] = {"tokens": texts, "token_logprobs": values, "top_logprobs": tops}
            if "prompt_logprobs" in body and "prompt_logprobs" in self.ways:
                choice["prompt_logprobs"] = [
                    None,
                    *({str(token): {"logprob": self.logprobs(prompt[:place])[token]}}
                      for place, token in enumerate(prompt) if place),
                ]  # fmt: skip
            choices.append(choice)
        return choices, sum(map(len, prompts)), generated

    def chat(self, body):
        text = self.tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
        sampled = f"{body['seed']}{body['temperature']}" if body["temperature"] else ""
        salt, self.salt = self.salt, self.salt + sampled
        (choice,), prompt, generated = self.completion(
            {"prompt": self.ids(text), "max_tokens": body["max_tokens"], "logprobs": body.get("top_logprobs")}
        )
        self.salt = salt
        found = {"index": 0, "message": {"role": "assistant", "content": choice["text"]}, "finish_reason": "length"}
        if body.get("logprobs"):
            told = choice["logprobs"]
            rows = zip(told["tokens"], told["token_logprobs"], told["top_logprobs"], strict=True)
            steps = [{"token": token, "logprob": value, "top_logprobs": listed(top)} for token, value, top in rows]
            found["logprobs"] = {"content": steps}
        return [found], prompt, generated


def listed(top):
    return [{"token": token, "logprob": value} for token, value in top.items()]


class Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.fake.connections.append(self.connection)

    def log_message(self, *_):
        pass

    def reply(self, status, value, headers=()):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/v1/models":
            self.reply(200, {"data": self.fake.listed})
        elif self.path == "/version":
            self.reply(200, {"version": "1.0"})
        else:
            self.reply(404, {"error": {"message": "no such path"}})

    def do_POST(self):
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with fake.lock:
            fake.seen.append(body)
            fault = fake.faults.pop(0) if fake.faults else fake.always
            fake.under_way += 1
            fake.most_under_way = max(fake.most_under_way, fake.under_way)
        try:
            self.answer(body, fault)
        finally:
            with fake.lock:
                fake.under_way -= 1

    def answer(self, body, fault):
        fake = self.fake
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        if fake.wanted_key and key != fake.wanted_key:
            return self.reply(401, {"error": {"message": f"wrong key {key}"}})
        if fake.slow:
            time.sleep(fake.slow)
        if isinstance(fault, Callable):
            fault = fault(body)
        if fault == "429":
            return self.reply(429, {"error": {"message": f"too many from {key}"}}, [("retry-after-ms", "5")])
        if fault in ("500", "400"):
            return self.reply(int(fault), {"error": {"message": f"no, {key}"}}, [("retry-after-ms", "5")])
        if fault == "too long":
            return self.reply(400, {"error": {"message": "maximum context length is 9 tokens"}})
        if fault == "lost":
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        if fault == "not json":
            return self.reply(200, b"{broken")
        if fault == "no choices":
            return self.reply(200, {"choices": []})
        if len(body.get("prompt", [])) and body.get("logprobs") and body["logprobs"] > fake.top:
            return self.reply(400, {"error": {"message": "too many logprobs"}})
        make = fake.chat if self.path.endswith("/chat/completions") else fake.completion
        with fake.lock:
            choices, prompt, generated = make(body)
        value = {"model": "other" if fault == "other model" else fake.name, "choices": choices}
        value["usage"] = {"prompt_tokens": prompt, "completion_tokens": generated}
        data = json.dumps(value).encode()
        if fault == "half":
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        return self.reply(200, value)


@contextmanager
def running(folder, port=0):
    fake = FakeServer(folder, port)
    try:
        yield fake
    finally:
        fake.stop()
