"""A model server for tests: model_server.py PORT_FILE ANSWER_FILE [STATUS...]

Speaks Chat Completions. Writes its port into PORT_FILE, answers each question with the text of ANSWER_FILE as a stream, and the
first ones with the statuses given (in place of an answer). Prints a line per question, with the names of the files that its schema
allows where there is one.
"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

statuses = [int(status) for status in sys.argv[3:]]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply(200, "application/json", json.dumps({"data": [{"id": "small-model"}]}))

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        schema = question.get("response_format", {}).get("json_schema", {}).get("schema")
        names = schema["properties"]["files"]["items"]["properties"]["name"]["enum"] if schema else []
        print(question["model"], len(question["messages"]), *names, flush=True)
        if statuses:
            status = statuses.pop(0)
            echo = {"error": {"message": "not now: " + self.headers.get("Authorization", "")}}
            self.reply(status, "application/json", json.dumps(echo), {"Retry-After": "0"})
            return
        with open(sys.argv[2], encoding="utf-8") as file:
            text = file.read()
        chunks = [{"choices": [{"delta": {"content": text[i : i + 40]}}]} for i in range(0, len(text), 40)]
        chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        chunks.append({"choices": [], "usage": {"prompt_tokens": 2000, "completion_tokens": 300}})
        stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        self.reply(200, "text/event-stream", stream + "data: [DONE]\n\n")

    def reply(self, status, kind, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body.encode())), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w", encoding="utf-8") as file:
    file.write(str(server.server_address[1]))
os.replace(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
