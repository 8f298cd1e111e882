package dev.weir.testkit.hostile;

import static dev.weir.testkit.hostile.HostileRequest.INDEX;
import static dev.weir.testkit.hostile.HostileRequest.fixed;
import static dev.weir.testkit.hostile.HostileRequest.json;

import java.util.List;

/**
 * Searches whose scripts run where the shards' results are reduced: they take memory or time there.
 * Each stays within what a node with a heap of 512 MB survives.
 */
final class ScriptRequests {
  private ScriptRequests() {}

  static List<HostileRequest> all() {
    return List.of(
        scripted(
            "a script that doubles a string",
            "String s = 'x'; for (int i = 0; i < 25; i++) { s = s + s; } return s.length();"),
        scripted(
            "a script that fills a list",
            "List l = new ArrayList(); for (int i = 0; i < 300000; i++) { l.add(new long[20]); }"
                + " return l.size();"),
        scripted(
            "a script of nested loops",
            "long s = 0; for (int i = 0; i < 900; i++) { for (int j = 0; j < 900; j++) { s += i *"
                + " j; } } return s;"),
        json(
            "a bucket script of loops",
            "/" + INDEX + "/_search",
            fixed(
                "{\"size\":0,\"aggs\":{\"h\":{\"histogram\":{\"field\":\"n\",\"interval\":10},\"aggs\":{\"m\":{\"max\":{\"field\":\"n\"}},"
                    + "\"s\":{\"bucket_script\":{\"buckets_path\":{\"m\":\"m\"},\"script\":\"double"
                    + " s = 0; for (int i = 0; i < 9000; i++) { s += i; } return s;\"}}}}}}")),
        json(
            "a script that does not compile",
            "/" + INDEX + "/_search",
            fixed(
                "{\"size\":0,\"aggs\":{\"s\":{\"scripted_metric\":{\"map_script\":\"nonsense(\",\"combine_script\":\"1\","
                    + "\"reduce_script\":\"}}\"}}}}")));
  }

  private static HostileRequest scripted(String name, String reduce) {
    return json(
        name,
        "/" + INDEX + "/_search",
        fixed(
            "{\"size\":0,\"aggs\":{\"s\":{\"scripted_metric\":{\"init_script\":\"state.n ="
                + " 1\",\"map_script\":\"state.n += 1\",\"combine_script\":\"return"
                + " state.n\",\"reduce_script\":\""
                + reduce
                + "\"}}}}"));
  }
}
