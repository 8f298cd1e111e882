package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.json;
import static dev.weir.testkit.hostile.HostileRequest.nested;
import static dev.weir.testkit.hostile.HostileRequest.repeated;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.IntFunction;

/** Searches that are deep or wide. */
final class QueryShapeRequests {
  private static final String SEARCH = "/" + INDEX + "/_search";

  /** The number of a scroll id's contexts, in three bytes of seven bits. */
  private static final int COUNT_BYTES = 3;

  /** An id of eight bytes, and the length of the node's name. */
  private static final int CONTEXT_BYTES = 9;

  private QueryShapeRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        search("nested bool", nestedQuery("{\"bool\":{\"must\":[", "]}}")),
        search("nested bool in one key", nestedQuery("{\"bool\":{\"filter\":", "}}")),
        search("nested constant_score", nestedQuery("{\"constant_score\":{\"filter\":", "}}")),
        search("nested function_score", nestedQuery("{\"function_score\":{\"query\":", "}}")),
        search(
            "nested aggregations",
            around(
                "{\"size\":0,",
                nested("\"aggs\":{\"a\":{\"terms\":{\"field\":\"n\"},", "\"meta\":{}", "}}"),
                "}")),
        search("nested objects", nested("{\"a\":", "1", "}")),
        search("nested arrays", nested("[", "1", "]")),
        search("arrays that never close", repeated("{\"query\":", "[", "")),
        search(
            "wide bool",
            repeated(
                "{\"query\":{\"bool\":{\"should\":[",
                i -> "{\"match\":{\"t\":\"word" + i + "\"}}",
                ",",
                "]}}}")),
        search(
            "wide terms",
            repeated("{\"query\":{\"terms\":{\"n\":[", i -> Integer.toString(i), ",", "]}}}")),
        search(
            "wide ids",
            repeated("{\"query\":{\"ids\":{\"values\":[", i -> "\"" + i + "\"", ",", "]}}}")),
        search(
            "wide query string",
            repeated("{\"query\":{\"query_string\":{\"query\":\"", i -> "w" + i, " OR ", "\"}}}")),
        search("wildcards", repeated("{\"query\":{\"wildcard\":{\"t\":\"", "*a?", "\"}}}")),
        search(
            "a long regular expression",
            repeated("{\"query\":{\"regexp\":{\"t\":\"", "(a|b)*", "\"}}}")),
        search(
            "wide aggregations",
            repeated(
                "{\"size\":0,\"aggs\":{",
                i -> "\"a" + i + "\":{\"max\":{\"field\":\"n\"}}",
                ",",
                "}}")),
        search(
            "filters aggregation",
            repeated(
                "{\"size\":0,\"aggs\":{\"a\":{\"filters\":{\"filters\":{",
                i -> "\"f" + i + "\":{\"term\":{\"n\":" + i + "}}",
                ",",
                "}}}}}")),
        search(
            "ranges aggregation",
            repeated(
                "{\"size\":0,\"aggs\":{\"a\":{\"range\":{\"field\":\"n\",\"ranges\":[",
                i -> "{\"from\":" + i + ",\"to\":" + (i + 1) + "}",
                ",",
                "]}}}}")),
        search("wide sort", repeated("{\"sort\":[", i -> "\"n\"", ",", "]}")),
        search("wide source filter", repeated("{\"_source\":[", i -> "\"a*" + i + "\"", ",", "]}")),
        search(
            "wide highlight",
            repeated("{\"highlight\":{\"fields\":{", i -> "\"f" + i + "\":{}", ",", "}}}")),
        search(
            "wide suggestions",
            repeated(
                "{\"suggest\":{\"text\":\"word\",",
                i -> "\"s" + i + "\":{\"term\":{\"field\":\"t\"}}",
                ",",
                "}}")),
        search(
            "too many buckets",
            HostileRequest.fixed(
                "{\"size\":0,\"aggs\":{\"a\":{\"histogram\":{\"field\":\"n\",\"interval\":0.001,"
                    + "\"min_doc_count\":0}}}}")),
        json(
            "a scroll of many ids",
            "/_search/scroll",
            repeated("{\"scroll_id\":\"", "QUJD", "\"}")),
        json(
            "a scroll of many contexts",
            "/_search/scroll",
            around("{\"scroll_id\":\"", QueryShapeRequests::scrollId, "\"}")));
  }

  private static HostileRequest search(String name, IntFunction<byte[]> body) {
    return json(name, SEARCH, body);
  }

  private static IntFunction<byte[]> nestedQuery(String open, String close) {
    return around("{\"query\":", nested(open, "{\"match_all\":{}}", close), "}");
  }

  /** Returns a scroll id of about so many bytes that names contexts on a node without a name. */
  private static byte[] scrollId(int size) {
    byte[] type = "queryThenFetch".getBytes(StandardCharsets.US_ASCII);
    int contexts = Math.max(1, (size / 4 * 3 - 1 - type.length - COUNT_BYTES) / CONTEXT_BYTES);
    byte[] id = new byte[1 + type.length + COUNT_BYTES + contexts * CONTEXT_BYTES];
    ByteBuffer.wrap(id)
        .put((byte) type.length)
        .put(type)
        .put((byte) (contexts | 0x80))
        .put((byte) ((contexts >> 7) | 0x80))
        .put((byte) (contexts >> 14));
    return Base64.getUrlEncoder().encode(id); // the ids of all contexts are 0
  }

  private static IntFunction<byte[]> around(
      String before, IntFunction<byte[]> inner, String after) {
    return size ->
        OddBodyRequests.join(before, inner.apply(size - before.length() - after.length()), after);
  }
}
