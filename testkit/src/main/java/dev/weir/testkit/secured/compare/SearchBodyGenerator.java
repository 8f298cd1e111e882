package dev.weir.testkit.secured.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates bodies of searches over orders. Confined to one thread. */
final class SearchBodyGenerator {
  private static final List<String> AGGREGATIONS =
      List.of(
          "{\"terms\":{\"field\":\"region\"}}",
          "{\"terms\":{\"field\":\"customer\",\"size\":50}}",
          "{\"terms\":{\"field\":\"customer\",\"min_doc_count\":0,\"size\":100}}",
          "{\"terms\":{\"field\":\"region\",\"order\":{\"s\":\"desc\"}},\"aggs\":{\"s\":{\"sum\":{\"field\":\"amount\"}}}}",
          "{\"sum\":{\"field\":\"amount\"}}",
          "{\"stats\":{\"field\":\"amount\"}}",
          "{\"percentiles\":{\"field\":\"amount\"}}",
          "{\"cardinality\":{\"field\":\"customer\"}}",
          "{\"value_count\":{\"field\":\"customer\"}}",
          "{\"missing\":{\"field\":\"customer\"}}",
          "{\"histogram\":{\"field\":\"amount\",\"interval\":250}}",
          "{\"range\":{\"field\":\"amount\",\"ranges\":[{\"to\":100},{\"from\":100}]}}",
          "{\"global\":{},\"aggs\":{\"n\":{\"value_count\":{\"field\":\"order\"}}}}",
          "{\"filters\":{\"filters\":{\"a\":{\"term\":{\"customer\":\"customer-1\"}},\"b\":{\"term\":{\"region\":\"south\"}}}}}",
          "{\"composite\":{\"size\":20,\"sources\":[{\"r\":{\"terms\":{\"field\":\"region\"}}},{\"c\":{\"terms\":{\"field\":\"customer\"}}}]}}",
          "{\"top_hits\":{\"size\":2,\"sort\":[\"order\"]}}",
          "{\"significant_terms\":{\"field\":\"customer\"}}");

  private static final List<String> OPTIONS =
      List.of(
          "\"_source\":[\"order\",\"customer\"]",
          "\"_source\":{\"excludes\":[\"amount\"]}",
          "\"_source\":false,\"docvalue_fields\":[\"customer\",\"amount\"]",
          "\"_source\":false,\"fields\":[\"customer\",\"region\",\"amount\"]",
          "\"fields\":[\"*\"],\"_source\":false",
          "\"stored_fields\":[\"_none_\"]",
          "\"track_total_hits\":true",
          "\"track_total_hits\":5",
          "\"version\":true,\"seq_no_primary_term\":true",
          "\"highlight\":{\"fields\":{\"note\":{},\"customer\":{}}}",
          "\"collapse\":{\"field\":\"region\"}",
          "\"collapse\":{\"field\":\"customer\"}",
          "\"post_filter\":{\"term\":{\"region\":\"north\"}}",
          "\"terminate_after\":100000",
          "\"timeout\":\"30s\"",
          "\"indices_boost\":[{\"orders-2027-01\":1.5}]",
          "\"script_fields\":{\"c\":{\"script\":\"doc['customer'].size()\"}}",
          "\"explain\":true",
          "\"min_score\":0.1");

  private static final List<String> SORTS =
      List.of(
          "[{\"order\":{\"order\":\"asc\",\"unmapped_type\":\"keyword\"}}]",
          "[{\"order\":{\"order\":\"desc\",\"unmapped_type\":\"keyword\"}}]",
          "[\"_score\",{\"order\":{\"unmapped_type\":\"keyword\"}}]",
          "[{\"customer\":{\"unmapped_type\":\"keyword\"}},{\"order\":{\"unmapped_type\":\"keyword\"}}]",
          "[{\"amount\":{\"order\":\"desc\",\"unmapped_type\":\"integer\"}},{\"order\":{\"unmapped_type\":\"keyword\"}}]");

  private final Random random;

  SearchBodyGenerator(Random random) {
    this.random = random;
  }

  /** Returns a search body; its hits are in an order that is the same on each copy. */
  String search() {
    List<String> members = new ArrayList<>();
    if (random.nextInt(8) > 0) {
      members.add("\"query\":" + query(0));
    }
    if (random.nextInt(3) == 0) {
      members.add("\"aggs\":{\"a\":" + pick(AGGREGATIONS) + "}");
    }
    if (random.nextInt(2) == 0) {
      members.add(pick(OPTIONS));
    }
    members.add("\"size\":" + random.nextInt(12));
    if (random.nextInt(6) == 0) {
      members.add("\"from\":" + random.nextInt(20));
    }
    members.add("\"sort\":" + pick(SORTS));
    return "{" + String.join(",", members) + "}";
  }

  /** Returns a query. */
  String query(int depth) {
    return switch (random.nextInt(depth > 1 ? 12 : 16)) {
      case 0, 1 -> "{\"match_all\":{}}";
      case 2 -> "{\"term\":{\"region\":\"" + pick(List.of("north", "south", "east")) + "\"}}";
      case 3, 4 -> "{\"term\":{\"customer\":\"" + customer() + "\"}}";
      case 5 -> "{\"range\":{\"amount\":{\"gte\":" + random.nextInt(1000) + "}}}";
      case 6 -> "{\"match\":{\"note\":\"" + pick(List.of("lamp", "desk south", "the")) + "\"}}";
      case 7 -> "{\"exists\":{\"field\":\"" + pick(List.of("customer", "amount", "none")) + "\"}}";
      case 8 -> "{\"prefix\":{\"customer\":\"customer-1\"}}";
      case 9 -> "{\"wildcard\":{\"customer\":\"*-2*\"}}";
      case 10 -> "{\"query_string\":{\"query\":\"customer:" + customer() + " OR amount:>900\"}}";
      case 11 -> "{\"ids\":{\"values\":[\"1\",\"2\",\"n3\",\"n4\",\"n500\"]}}";
      case 12 ->
          "{\"bool\":{\"must\":["
              + query(depth + 1)
              + "],\"must_not\":["
              + query(depth + 1)
              + "]}}";
      case 13 -> "{\"bool\":{\"should\":[" + query(depth + 1) + "," + query(depth + 1) + "]}}";
      case 14 ->
          "{\"terms\":{\"customer\":{\"index\":\""
              + pick(List.of("payrolls", "orders-2027-01", "orders-2026-11"))
              + "\",\"id\":\""
              + pick(List.of("1", "3", "n3"))
              + "\",\"path\":\"customer\"}}}";
      default -> "{\"constant_score\":{\"filter\":" + query(depth + 1) + ",\"boost\":2}}";
    };
  }

  private String customer() {
    return ComparisonOrders.CUSTOMER + random.nextInt(ComparisonOrders.CUSTOMERS);
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
