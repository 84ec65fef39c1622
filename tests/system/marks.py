"""Marks that are planted, and what looks for them in files and in the memory of processes."""
import base64
import os
import random
import string
import struct

from harness import check

PAGE = os.sysconf("SC_PAGE_SIZE")


# Marks and how they may be disguised

def forms(mark):
    """What the mark may look like: as it is, hex, base64 and base64url at each offset, UTF-16."""
    out = {"raw": mark, "hex": mark.hex().encode(), "HEX": mark.hex().upper().encode(),
           "reversed": mark[::-1]}
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + mark)
        # The first and last groups mix with neighbours.
        core = coded[4 if shift else 0:len(mark) // 3 * 4 - 4]
        out[f"base64+{shift}"] = core
        out[f"base64url+{shift}"] = core.translate(bytes.maketrans(b"+/", b"-_"))
    try:
        out["utf-16"] = mark.decode().encode("utf-16-le")
    except UnicodeDecodeError:
        pass
    return out


class Scanner:
    def __init__(self, marks):
        """marks: {name: bytes}"""
        self.needles = sorted({(f, name, how) for name, mark in marks.items() for how, f in forms(mark).items()})

    def find(self, data):
        return [f"{name} ({how})" for needle, name, how in self.needles if needle in data]

    def check(self, data, where):
        found = self.find(data)
        check(not found, f"{found} in {where}")


def memory_of(pid):
    """The bytes of every page that the process has, as (where, bytes)."""
    with open(f"/proc/{pid}/maps") as f:
        areas = [line.split(None, 5) for line in f]
    with open(f"/proc/{pid}/mem", "rb", 0) as mem, open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap:
        for area in areas:
            start, end = (int(x, 16) for x in area[0].split("-"))
            name = area[5].strip() if len(area) > 5 else "anonymous"
            # Files of the system hold nothing of ours; files of the home are searched as files.
            if name.startswith(("/usr/", "/lib", "/etc/")) and "w" not in area[1] or name in ("[vsyscall]", "[vvar]",
                                                                                            "[vvar_vclock]"):
                continue
            pagemap.seek(start // PAGE * 8)
            entries = pagemap.read((end - start) // PAGE * 8)
            at = None
            present = [i for i, (e,) in enumerate(struct.iter_unpack("<Q", entries)) if e >> 62]
            for run_start, run_end in _runs(present):
                at = start + run_start * PAGE
                try:
                    mem.seek(at)
                    yield name, mem.read((run_end - run_start) * PAGE)
                except (OSError, ValueError):
                    continue


def _runs(numbers):
    start = None
    for n in numbers:
        if start is not None and n == last + 1:
            last = n
            continue
        if start is not None:
            yield start, last + 1
        start = last = n
    if start is not None:
        yield start, last + 1


def scan_memory(pid, scanner):
    """(found, bytes read)"""
    found, n = set(), 0
    # Runs of one area are joined, so that nothing hides between two of them.
    for name, data in memory_of(pid):
        n += len(data)
        found |= {f"{what} in {name}" for what in scanner.find(data)}
    return sorted(found), n


def fresh_mark(n=30):
    return "".join(random.SystemRandom().choices(string.ascii_letters + string.digits, k=n))
