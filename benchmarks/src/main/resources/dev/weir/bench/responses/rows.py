"""Measures what a client takes until it has the rows of a search, in several ways, turn by turn.

usage: rows.py COORDINATOR GATEWAY INDEX ROUNDS SEARCH FIELD..., the first two as host:port, the search as JSON
prints a line for each way: the median of its milliseconds, the mean of its milliseconds of CPU, the bytes of a body.
The ways are: opensearch-py and the coordinator, hits to lists of values; then the gateway's Arrow, to a table: of
documents, of doc values, and of doc values without ids.
"""
import http.client
import json
import statistics
import sys
import time

import pyarrow
from opensearchpy import OpenSearch

coordinator, gateway, index, rounds, search = *sys.argv[1:4], int(sys.argv[4]), json.loads(sys.argv[5])
fields = sys.argv[6:]


def by_client():
    host, port = coordinator.split(":")
    client = OpenSearch([{"host": host, "port": int(port)}], timeout=60)

    def way():
        hits = client.search(index=index, body=search)["hits"]["hits"]
        rows = []
        for hit in hits:
            source = hit["_source"]
            rows.append([hit["_id"], *(source.get(field) for field in fields)])
        return len(rows), len(rows[0]) - 1, 0
    return way


def by_arrow(**more):
    connection = http.client.HTTPConnection(gateway, timeout=60)
    body = json.dumps({**search, **more})

    def way():
        connection.request("POST", f"/{index}/_search?columnar=arrow", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"got status {answer.status}: {content[:300]!r}")
        table = pyarrow.ipc.open_stream(content).read_all()
        names = set(table.column_names)
        return table.num_rows, sum(field in names for field in fields), len(content)
    return way


ways = [by_client(), by_arrow(), by_arrow(docvalue_fields=fields),
        by_arrow(docvalue_fields=fields, stored_fields="_none_")]
taken = [[] for _ in ways]
cpu = [0.0 for _ in ways]
size = [0 for _ in ways]
for turn in range(rounds + rounds // 4 + 3):
    for i, way in enumerate(ways):
        began, began_cpu = time.perf_counter(), time.process_time()
        rows, columns, size[i] = way()
        if turn >= rounds // 4 + 3:
            taken[i].append(time.perf_counter() - began)
            cpu[i] += time.process_time() - began_cpu
        if rows != search["size"] or columns != len(fields):
            raise SystemExit(f"got {rows} rows of {columns} fields (expected: {search['size']} of {len(fields)})")
for i in range(len(ways)):
    print(statistics.median(taken[i]) * 1000, cpu[i] * 1000 / rounds, size[i])
