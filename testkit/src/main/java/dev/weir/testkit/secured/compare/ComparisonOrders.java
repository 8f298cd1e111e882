package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestClient;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * The documents that generated requests read, in indices of their own beside those of {@link
 * dev.weir.testkit.secured.SecuredSampleData}.
 */
public final class ComparisonOrders {
  /** What names of customers begin with. No other text of a response does. */
  static final String CUSTOMER = "customer-";

  static final int CUSTOMERS = 40;

  private static final String[] INDICES = {"orders-2027-01", "orders-2027-02"};
  private static final String[] REGIONS = {"north", "south", "east", "west"};
  private static final String MAPPING =
      """
      {"settings": {"number_of_shards": 3, "auto_expand_replicas": "0-1"},
       "mappings": {"properties": {
         "order": {"type": "keyword"}, "region": {"type": "keyword"}, "note": {"type": "text"},
         "customer": {"type": "keyword"}, "amount": {"type": "integer"}}}}
      """;

  private ComparisonOrders() {}

  /**
   * Loads the documents.
   *
   * @param documents in each of two indices
   */
  public static void load(RestClient admin, int documents) {
    delete(admin);
    Random random = new Random(documents);
    for (String index : INDICES) {
      admin.send("PUT", "/" + index + "?wait_for_active_shards=all", MAPPING).orThrow();
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < documents; i++) {
        String region = REGIONS[random.nextInt(REGIONS.length)];
        lines
            .append("{\"index\":{\"_id\":\"n%d\"}}\n".formatted(i))
            .append(
                "{\"order\":\"%s-%05d\",\"region\":\"%s\",\"customer\":\"%s%d\",\"amount\":%d,\"note\":\"%s\"}\n"
                    .formatted(
                        index.substring(index.length() - 2),
                        i,
                        region,
                        CUSTOMER,
                        random.nextInt(CUSTOMERS),
                        random.nextInt(1000),
                        "lamp desk chair sofa".split(" ")[i % 4] + " for the " + region));
      }
      admin
          .bulk("/" + index + "/_bulk", lines.toString().getBytes(StandardCharsets.UTF_8))
          .orThrow();
      // one segment on each copy: otherwise equal scores may come in another order from each, and
      // nodes sort by masked values, and show them in composite aggregations, by what is cached
      admin.send("POST", "/" + index + "/_forcemerge?max_num_segments=1").orThrow();
      admin.send("POST", "/" + index + "/_refresh").orThrow();
    }
    admin.send("PUT", "/orders-2027-02/_alias/orders-latest").orThrow();
  }

  /** Deletes the documents. */
  public static void delete(RestClient admin) {
    for (String index : INDICES) {
      admin.send("DELETE", "/" + index);
    }
  }
}
