package dev.weir.testkit.secured;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;

/**
 * A few documents for the users of {@link SecuredUser}: orders of two months in one index each, the
 * later one with the alias {@code orders-latest}; a data stream of events; and payrolls, which only
 * {@link SecuredUser#ADMIN} may read.
 */
public final class SecuredSampleData {
  private static final String MAPPING =
      """
      {"settings": {"number_of_shards": 2, "auto_expand_replicas": "0-1"},
       "mappings": {"properties": {
         "order": {"type": "keyword"}, "region": {"type": "keyword"},
         "customer": {"type": "keyword"}, "amount": {"type": "integer"}}}}
      """;

  private SecuredSampleData() {}

  /** Loads the documents, unless they are there. */
  public static void load(RestClient admin) {
    if (admin.send("GET", "/payrolls/_doc/1").status() == 200) {
      return;
    }
    for (String index : new String[] {"orders-2026-10", "orders-2026-11", "payrolls"}) {
      admin.send("PUT", "/" + index, MAPPING).orThrow();
    }
    admin.send("PUT", "/orders-2026-11/_alias/orders-latest").orThrow();
    admin
        .send(
            "PUT",
            "/_index_template/events",
            """
            {"index_patterns": ["events-*"], "data_stream": {},
             "template": {"settings": {"number_of_shards": 2, "auto_expand_replicas": "0-1"}}}
            """)
        .orThrow();
    admin.send("PUT", "/_data_stream/events-shop").orThrow();
    // a copy that is being made may get the documents in another order
    admin.send("GET", "/_cluster/health?wait_for_status=green&timeout=60s").orThrow();
    String lines =
        """
        {"index": {"_index": "orders-2026-10", "_id": "1"}}
        {"order": "A-1", "region": "north", "customer": "Ada", "amount": 10}
        {"index": {"_index": "orders-2026-10", "_id": "2"}}
        {"order": "A-2", "region": "south", "customer": "Ben", "amount": 20}
        {"index": {"_index": "orders-2026-11", "_id": "3"}}
        {"order": "B-3", "region": "north", "customer": "Cleo", "amount": 30}
        {"index": {"_index": "orders-2026-11", "_id": "4"}}
        {"order": "B-4", "region": "south", "customer": "Ada", "amount": 40}
        {"create": {"_index": "events-shop"}}
        {"@timestamp": "2026-11-01T08:00:00Z", "event": "opened"}
        {"create": {"_index": "events-shop"}}
        {"@timestamp": "2026-11-01T18:00:00Z", "event": "closed"}
        {"index": {"_index": "payrolls", "_id": "1"}}
        {"customer": "Ada", "amount": 5000}
        """;
    String answer =
        admin.bulk("/_bulk?refresh=true", lines.getBytes(StandardCharsets.UTF_8)).orThrow().body();
    if (!answer.contains("\"errors\":false")) {
      throw new IllegalStateException("cannot load the sample documents: " + answer);
    }
  }
}
