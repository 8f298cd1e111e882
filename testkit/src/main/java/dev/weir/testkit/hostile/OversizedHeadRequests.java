package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.JSON;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Long and odd request lines and headers; their size is fixed. */
final class OversizedHeadRequests {
  private OversizedHeadRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        get("a long path", "/" + "a".repeat(5000) + "/_search"),
        get("a path of 300 indices", "/" + indices(300) + "/_search?ignore_unavailable=true"),
        get("a path beyond the limit", "/" + "a".repeat(100_000) + "/_search"),
        get("a path of many segments", "/a".repeat(2000)),
        get("a long parameter", "/" + INDEX + "/_search?q=" + "a".repeat(3500)),
        get("many parameters", "/" + INDEX + "/_search?" + "q=1&".repeat(900) + "size=1"),
        get("an escaped NUL", "/" + INDEX + "%00/_search"),
        get("an escaped line end", "/" + INDEX + "%0d%0aX-A:%20b/_search"),
        get("an escaped slash", "/" + INDEX + "%2f_search"),
        get("dots", "/../" + INDEX + "/..%2f/_search"),
        get("an incomplete escape", "/" + INDEX + "/_search?q=%"),
        get("an escape of no character", "/" + INDEX + "/_search?q=%ff%fe"),
        get("date math that does not end", "/%3Clogs-%7Bnow%2Fd/_search"),
        get("an empty index", "//_search"),
        head("many headers", "X-A: b\r\n".repeat(500)),
        head("headers beyond the limit", "X-A: b\r\n".repeat(20_000)),
        head("a long header", "X-A: " + "b".repeat(6000) + "\r\n"),
        head("a header beyond the limit", "X-A: " + "b".repeat(200_000) + "\r\n"),
        head("a long opaque id", "X-Opaque-Id: " + "b".repeat(6000) + "\r\n"),
        head("an unknown Accept", "Accept: " + "a/b,".repeat(1000) + "c/d\r\n"),
        head("an unknown encoding", "Accept-Encoding: gzip;q=nonsense, zstd;q=9, *;q=-1\r\n"));
  }

  private static String indices(int count) {
    return IntStream.range(0, count).mapToObj(i -> "none-" + i).collect(Collectors.joining(","));
  }

  private static HostileRequest get(String name, String path) {
    return new HostileRequest(name, "GET", path, "", size -> new byte[0]);
  }

  private static HostileRequest head(String name, String headers) {
    return new HostileRequest(
        name,
        "POST",
        "/" + INDEX + "/_search",
        JSON + headers,
        HostileRequest.fixed("{\"size\":0}"));
  }
}
