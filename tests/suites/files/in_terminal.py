#!/usr/bin/env python3
"""Runs a command in a terminal of a given size and prints, as JSON, what a person saw.

in_terminal.py [--columns N] [--rows N] [--resize-to N] [--interrupt-at TEXT] -- COMMAND...

screen: lines that are left at the end, scrolled ones first; wrapped: lines that reached the last column; redrawn:
how often lines were gone back to; colours: whether any was set; status: the exit status.
"""
import argparse, fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b.|\r|\n|[^\x1b\r\n]+")


class Screen:
    def __init__(self, columns):
        self.lines, self.row, self.column, self.columns = [""], 0, 0, columns
        self.wrapped, self.redrawn, self.colours, self.modes = [], 0, False, []
        self.resized_to, self.old_frames = 0, 0  # frames of the old width may be under way

    def feed(self, text):
        for token in TOKEN.finditer(text):
            code, command = token.group(1), token.group(2)
            if command == "A":
                self.row = max(self.row - int(code or 1), 0)
                self.redrawn += 1
                self.old_frames -= 1
                if self.resized_to and self.old_frames < 0:
                    self.columns, self.resized_to = self.resized_to, 0
            elif command == "K":
                self.lines[self.row] = self.lines[self.row][: self.column]
            elif command == "J":
                self.lines[self.row] = self.lines[self.row][: self.column]
                del self.lines[self.row + 1 :]
            elif command == "m":
                self.colours = self.colours or code not in ("", "0")
            elif command:
                self.modes.append(token.group(0))
            elif token.group(0) == "\r":
                self.column = 0
            elif token.group(0) == "\n":
                self.row, self.column = self.row + 1, 0
                if self.row == len(self.lines):
                    self.lines.append("")
            elif not token.group(0).startswith("\x1b"):
                self.write(token.group(0))

    def write(self, text):
        if self.column + len(text) >= self.columns:  # the last column stays free
            self.wrapped.append(text)
        old = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = old[: self.column] + text + old[self.column + len(text) :]
        self.column += len(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--resize-to", type=int, default=0)
    parser.add_argument("--interrupt-at", default="")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", options.rows, options.columns, 0, 0))
        os.execvp(options.command[0], options.command)
    screen, seen, deadline = Screen(options.columns), "", time.monotonic() + 300
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        text = data.decode(errors="replace")
        seen += text
        screen.feed(text)
        if options.interrupt_at and options.interrupt_at in seen:
            options.interrupt_at = ""
            os.write(terminal, b"\x03")
        if options.resize_to and screen.redrawn > 2:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", options.rows, options.resize_to, 0, 0))
            screen.resized_to, screen.old_frames, options.resize_to = options.resize_to, 2, 0
    else:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    json.dump({"screen": screen.lines, "wrapped": screen.wrapped, "redrawn": screen.redrawn, "colours": screen.colours,
               "modes": screen.modes, "status": status}, sys.stdout)


main()
