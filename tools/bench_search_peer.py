#!/usr/bin/env python3
"""The peer of tools/bench search: the same memories and queries in SQLite's FTS5, in memory.

usage: bench_search_peer.py DIR    with search-corpus, search-queries and search-figures in it
"""
import sqlite3
import sys
import time

TOKENIZERS = ("trigram", "unicode61")


def build(tokenizer, rows):
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE memories USING fts5(title, body, tokenize='{tokenizer}')")
    db.executemany("INSERT INTO memories VALUES (?, ?)", rows)
    db.commit()
    return db


def ask(db, query):
    words = " AND ".join('"' + word.replace('"', '""') + '"' for word in query.split())
    if not words:
        return 0
    db.execute("SELECT rowid, snippet(memories, 1, '', '', '', 20) FROM memories WHERE memories MATCH ?"
               " ORDER BY bm25(memories, 4.0, 1.0) LIMIT 20", (words,)).fetchall()
    return db.execute("SELECT count(*) FROM memories WHERE memories MATCH ?", (words,)).fetchone()[0]


def lines_of(name):
    with open(f"{sys.argv[1]}/search-{name}", encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f]


def measure(tokenizer, rows, queries):
    began = time.process_time()
    db = build(tokenizer, rows)
    built = time.process_time() - began
    times, without = [], 0
    for query in queries:
        began = time.process_time()
        without += ask(db, query) == 0
        times.append((time.process_time() - began) * 1e3)
    times.sort()
    size = db.execute("SELECT (SELECT * FROM pragma_page_count) * (SELECT * FROM pragma_page_size)").fetchone()[0]
    db.close()
    return built, times[len(times) // 2], times[int(0.99 * (len(times) - 1))], size, without


def main():
    rows = [line.split("\t") for line in lines_of("corpus")]
    queries = lines_of("queries")[:600]
    ours = [float(v) for v in lines_of("figures")[0].split()]
    print(f"\nthe same in SQLite {sqlite3.sqlite_version}, in memory: {len(queries)} of the queries, processor time")
    for tokenizer in TOKENIZERS:
        built, p50, p99, size, without = measure(tokenizer, rows, queries)
        print(f"FTS5 {tokenizer:10} built in {built:.1f} s; {size / 2**20:.0f} MiB; p50 {p50:.2f}, p99 {p99:.2f} ms;"
              f" {without} queries found nothing; ours to it: build {ours[0] / built:.2f}, p50 {ours[1] / p50:.2f},"
              f" p99 {ours[2] / p99:.2f}")


try:
    main()
except sqlite3.OperationalError as e:
    print(f"SQLite has no such tokenizer here: {e}")
