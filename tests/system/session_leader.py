"""The leader of a terminal's session, as a login shell would be: runs the
commands that it is told, one at a time, in the session that owns the terminal.

    session_leader.py SOCKET_FD TTY_PATH

A job comes as one packet of JSON with the command's stdin, stdout and stderr
beside it; `{"pid": ...}` and later `{"code": ...}` go back. Ends with the socket.
"""
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios


def main(control_fd, tty_path):
    control = socket.socket(fileno=int(control_fd))
    tty = os.open(tty_path, os.O_RDWR)
    fcntl.ioctl(tty, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        packet, fds, _, _ = socket.recv_fds(control, 1 << 18, 3)
        if not packet:
            return
        job = json.loads(packet)
        child = subprocess.Popen(job["argv"], env=job["env"], cwd=job["cwd"], stdin=fds[0], stdout=fds[1],
                                 stderr=fds[2], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        for fd in fds:
            os.close(fd)
        control.send(json.dumps({"pid": child.pid}).encode())
        control.send(json.dumps({"code": child.wait()}).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
