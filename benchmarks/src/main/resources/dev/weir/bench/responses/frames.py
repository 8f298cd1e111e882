"""Times how long a search takes until its hits are in a pandas data frame, in three ways, turn by turn.

usage: frames.py COORDINATOR GATEWAY INDEX SIZE ROUNDS, the first two as host:port
prints a line: seconds by opensearch-py and the coordinator, by opensearch-py and the gateway, by the gateway's Arrow.
"""
import http.client
import json
import statistics
import sys
import time

import pandas
import pyarrow
from opensearchpy import OpenSearch

coordinator, gateway, index, size, rounds = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
search = {"size": size, "query": {"match_all": {}}}
kinds = {"at": "M", "host": "O", "status": "i", "bytes": "i", "took": "f"}


def by_client(address):
    host, port = address.split(":")
    client = OpenSearch([{"host": host, "port": int(port)}], timeout=60)

    def way():
        hits = client.search(index=index, body=search)["hits"]["hits"]
        frame = pandas.DataFrame([hit["_source"] for hit in hits])
        frame["at"] = pandas.to_datetime(frame["at"])
        return frame
    return way


def by_arrow(address):
    connection = http.client.HTTPConnection(address, timeout=60)

    def way():
        connection.request("POST", f"/{index}/_search?columnar=arrow", json.dumps(search),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"got status {answer.status}: {body[:300]!r}")
        return pyarrow.ipc.open_stream(body).read_pandas()
    return way


def check(frame):
    got = {name: frame[name].dtype.kind for name in kinds if name in frame.columns}
    if len(frame) != size or got != kinds:
        raise SystemExit(f"got a frame of {frame.shape} with {got} (expected: {size} rows with {kinds})")


seconds = {by_client(coordinator): [], by_client(gateway): [], by_arrow(gateway): []}
for turn in range(rounds + 3):
    for way, taken in seconds.items():
        began = time.perf_counter()
        frame = way()
        if turn >= 3:
            taken.append(time.perf_counter() - began)
        check(frame)
print(*(statistics.median(taken) for taken in seconds.values()))
