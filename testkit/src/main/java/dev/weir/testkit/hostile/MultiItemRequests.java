package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.INDEX_WITHOUT_SHARDS;
import static dev.weir.testkit.hostile.HostileRequest.json;
import static dev.weir.testkit.hostile.HostileRequest.lines;
import static dev.weir.testkit.hostile.HostileRequest.repeated;

import java.util.List;

/** Requests of many small items: each item may fail, and each failure may keep memory. */
final class MultiItemRequests {
  private static final String ANY = "{\"query\":{\"match_all\":{}},\"size\":0}\n";

  private MultiItemRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        json(
            "mget of ids of a missing index",
            "/no-such-index/_mget",
            repeated("{\"ids\":[", i -> "\"" + i + "\"", ",", "]}")),
        json(
            "mget of documents of missing indices",
            "/_mget",
            repeated(
                "{\"docs\":[",
                i -> "{\"_index\":\"none-" + i % 9 + "\",\"_id\":\"1\"}",
                ",",
                "]}")),
        json(
            "mget of documents of as many missing indices",
            "/_mget",
            repeated("{\"docs\":[", i -> "{\"_index\":\"m" + i + "\",\"_id\":\"1\"}", ",", "]}")),
        json(
            "mget of missing ids",
            "/" + INDEX + "/_mget",
            repeated("{\"ids\":[", i -> "\"x" + i + "\"", ",", "]}")),
        json(
            "mget of items with fields of their own",
            "/" + INDEX + "/_mget",
            repeated(
                "{\"docs\":[",
                i -> "{\"_id\":\"1\",\"_source\":{\"includes\":[\"a" + i + "\"]}}",
                ",",
                "]}")),
        lines(
            "msearch of a missing index",
            "/_msearch",
            repeated("", "{\"index\":\"no-such-index\"}\n" + ANY, "")),
        lines("msearch of an index", "/" + INDEX + "/_msearch", repeated("", "{}\n" + ANY, "")),
        lines(
            "msearch of unknown queries",
            "/" + INDEX + "/_msearch",
            repeated("", "{}\n{\"query\":{\"nope\":{}}}\n", "")),
        lines(
            "msearch of an index without shards",
            "/" + INDEX_WITHOUT_SHARDS + "/_msearch",
            repeated("", "{}\n" + ANY, "")),
        json(
            "mget of an index without shards",
            "/" + INDEX_WITHOUT_SHARDS + "/_mget",
            repeated("{\"ids\":[", i -> "\"" + i + "\"", ",", "]}")),
        json(
            "search of an index without shards",
            "/" + INDEX_WITHOUT_SHARDS + "/_search",
            HostileRequest.fixed("{\"size\":0}")),
        lines("msearch without bodies", "/_msearch", repeated("", "\n", "")),
        lines(
            "msearch of many indices",
            "/_msearch?ignore_unavailable=true",
            repeated("{\"index\":[", i -> "\"none-" + i + "\"", ",", "]}\n" + ANY)),
        lines(
            "bulk of deletes",
            "/" + INDEX + "/_bulk",
            repeated("", "{\"delete\":{\"_id\":\"none\"}}\n", "")),
        lines(
            "bulk of updates of missing documents",
            "/" + INDEX + "/_bulk",
            repeated("", "{\"update\":{\"_id\":\"none\"}}\n{\"doc\":{\"n\":1}}\n", "")),
        lines(
            "bulk that requires a missing alias",
            "/_bulk",
            repeated(
                "",
                "{\"index\":{\"_index\":\"no-such\",\"require_alias\":true}}\n{\"n\":1}\n",
                "")),
        lines(
            "bulk of documents that do not fit the mapping",
            "/" + INDEX + "/_bulk",
            repeated("", "{\"index\":{\"_id\":\"bad\"}}\n{\"n\":\"not a number\"}\n", "")),
        lines("bulk of empty actions", "/" + INDEX + "/_bulk", repeated("", "{}\n{}\n", "")),
        lines("bulk of one long line", "/" + INDEX + "/_bulk", repeated("", "{", "\n")));
  }
}
