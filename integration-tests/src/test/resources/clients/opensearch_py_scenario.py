"""What an application does with opensearch-py, unmodified, against the URL in the first argument.

Prints `scenario passed` and exits 0 when everything held.
"""

import sys

from opensearchpy import OpenSearch, helpers
from opensearchpy.exceptions import ConflictError, NotFoundError, RequestError

INDEX = "py-products"
client = OpenSearch(hosts=[sys.argv[1]], http_compress=True, timeout=30)


def expect(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: got {actual!r} (expected: {expected!r})")


def documents(count):
    for number in range(count):
        yield {"_index": INDEX, "_id": str(number), "number": number, "colour": ["red", "green", "blue"][number % 3]}


def write():
    client.indices.delete(index=INDEX, ignore_unavailable=True)
    client.indices.create(
        index=INDEX,
        body={
            "settings": {"number_of_shards": 3, "number_of_replicas": 1, "refresh_interval": "100ms"},
            "mappings": {"properties": {"number": {"type": "integer"}, "colour": {"type": "keyword"}}},
        },
    )
    done, errors = helpers.bulk(client, documents(1000), chunk_size=100, refresh="wait_for")
    expect((done, errors), (1000, []), "bulk")
    done = sum(1 for ok, _ in helpers.parallel_bulk(client, documents(500), thread_count=4, chunk_size=50) if ok)
    expect(done, 500, "parallel bulk")
    again = list(
        helpers.streaming_bulk(
            client,
            ({**document, "_op_type": "create"} for document in documents(3)),
            raise_on_error=False,
        )
    )
    expect([item["create"]["status"] for _, item in again], [409, 409, 409], "create of what exists")
    client.indices.refresh(index=INDEX)


def read():
    expect(client.count(index=INDEX)["count"], 1000, "count")
    found = client.search(
        index=INDEX,
        body={
            "query": {"term": {"colour": "red"}},
            "sort": [{"number": "desc"}],
            "size": 5,
            "aggs": {"colours": {"terms": {"field": "colour"}}},
        },
    )
    expect(found["hits"]["total"]["value"], 334, "total")
    expect([hit["_source"]["number"] for hit in found["hits"]["hits"]], [999, 996, 993, 990, 987], "order")
    expect(found["aggregations"]["colours"]["buckets"], [{"key": "red", "doc_count": 334}], "buckets")
    trimmed = client.search(
        index=INDEX,
        body={"sort": [{"number": "desc"}], "size": 2},
        params={"trim": "shards,max-score,index,score,sort"},
    )
    expect(list(trimmed), ["took", "timed_out", "hits"], "parts of a trimmed answer")
    expect(
        trimmed["hits"]["hits"],
        [{"_id": str(number), "_source": {"number": number, "colour": colour}} for number, colour in [(999, "red"), (998, "blue")]],
        "trimmed hits",
    )
    scanned = {hit["_id"] for hit in helpers.scan(client, index=INDEX, size=100)}
    expect(len(scanned), 1000, "scan")
    expect(client.get(index=INDEX, id="7")["_source"]["number"], 7, "get")
    expect(client.exists(index=INDEX, id="7"), True, "exists")
    expect(client.exists(index=INDEX, id="nothing"), False, "exists not")
    many = client.mget(index=INDEX, body={"ids": ["1", "2", "nothing"]})
    expect([document["found"] for document in many["docs"]], [True, True, False], "mget")
    both = client.msearch(
        body=[
            {"index": INDEX},
            {"size": 0, "query": {"term": {"colour": "green"}}},
            {"index": "py-nowhere"},
            {"query": {"match_all": {}}},
        ]
    )
    expect([answer["status"] for answer in both["responses"]], [200, 404], "msearch")


def point_in_time():
    pit = client.create_pit(index=INDEX, keep_alive="1m")["pit_id"]
    seen, after = 0, None
    while True:
        body = {"size": 300, "pit": {"id": pit, "keep_alive": "1m"}, "sort": [{"number": "asc"}]}
        if after:
            body["search_after"] = after
        hits = client.search(body=body)["hits"]["hits"]
        if not hits:
            break
        seen, after = seen + len(hits), hits[-1]["sort"]
    expect(seen, 1000, "point in time")
    expect(client.delete_pit(body={"pit_id": [pit]})["pits"][0]["successful"], True, "delete of a point in time")


def change():
    client.update(index=INDEX, id="7", body={"doc": {"colour": "violet"}})
    scripted = client.update(
        index=INDEX, id="7", body={"script": {"source": "ctx._source.number += params.by", "params": {"by": 10}}}
    )
    expect(scripted["result"], "updated", "scripted update")
    document = client.get(index=INDEX, id="7")
    expect(document["_source"], {"number": 17, "colour": "violet"}, "updated document")
    client.index(index=INDEX, id="7", body={"number": 1}, if_seq_no=document["_seq_no"],
                 if_primary_term=document["_primary_term"])
    for call, error in [
        (lambda: client.index(index=INDEX, id="7", body={}, if_seq_no=document["_seq_no"],
                              if_primary_term=document["_primary_term"]), ConflictError),
        (lambda: client.get(index=INDEX, id="nothing"), NotFoundError),
        (lambda: client.search(index="py-nowhere"), NotFoundError),
        (lambda: client.search(index=INDEX, body={"query": {"no_such_query": {}}}), RequestError),
    ]:
        try:
            call()
        except error:
            continue
        raise AssertionError(f"got no error (expected: {error.__name__})")
    expect(client.delete(index=INDEX, id="7", refresh=True)["result"], "deleted", "delete")
    expect(client.count(index=INDEX)["count"], 999, "count after delete")


expect(client.ping(), True, "ping")
write()
read()
point_in_time()
change()
client.indices.delete(index=INDEX)
print("scenario passed")
