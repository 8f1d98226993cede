"""Commands that end with the program that runs them: at their time limit, when it is interrupted, and when it is killed."""

import ctypes
import os
import re
import signal
import subprocess

PR_SET_PDEATHSIG = 1


def dies_with_its_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(command, timeout, **options):
    """Exit status (None: it took longer than `timeout` seconds), standard output, standard error."""
    child = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=dies_with_its_parent,
        **options,
    )
    try:
        out, errors = child.communicate(timeout=timeout)
        return child.returncode, out, errors
    except subprocess.TimeoutExpired:
        end(child)
        return None, "", f"took longer than {timeout} s"
    except BaseException:
        end(child)
        raise


def end(child):
    """The whole group: asked first, so that it can put its files in order."""
    for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        try:
            os.killpg(child.pid, number)
            child.communicate(timeout=patience)
            return
        except ProcessLookupError:
            child.communicate()
            return
        except subprocess.TimeoutExpired:
            continue


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def reason_in(text):
    """The first message of hone, without the place of a file, else the last line."""
    for line in text.splitlines():
        if line.startswith("hone: "):
            return re.sub(r"^hone: (\S*kernel\.toml(:\d+)*: )?", "", line)
    return last_line(text)
