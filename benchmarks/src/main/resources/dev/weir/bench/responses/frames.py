"""Times how long a search takes until its hits are in a pandas data frame, in two ways, turn by turn.

usage: frames.py HOST PORT INDEX SIZE ROUNDS; prints a line: seconds by opensearch-py, seconds by Arrow.
"""
import http.client
import json
import statistics
import sys
import time

import pandas
import pyarrow
from opensearchpy import OpenSearch

host, port, index, size, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
client = OpenSearch([{"host": host, "port": port}], timeout=60)
connection = http.client.HTTPConnection(host, port, timeout=60)
search = {"size": size, "query": {"match_all": {}}}


def by_client():
    hits = client.search(index=index, body=search)["hits"]["hits"]
    return pandas.DataFrame([hit["_source"] for hit in hits])


def by_arrow():
    connection.request("POST", f"/{index}/_search?columnar=arrow", json.dumps(search),
                       {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"got status {answer.status}: {body[:300]!r}")
    return pyarrow.ipc.open_stream(body).read_pandas()


seconds = {by_client: [], by_arrow: []}
for turn in range(rounds + 3):
    for way, taken in seconds.items():
        began = time.perf_counter()
        frame = way()
        if turn >= 3:
            taken.append(time.perf_counter() - began)
        if len(frame) != size or not {"at", "host", "status", "bytes", "took"} <= set(frame.columns):
            raise SystemExit(f"got a frame of {frame.shape} with {list(frame.columns)}")
print(statistics.median(seconds[by_client]), statistics.median(seconds[by_arrow]))
