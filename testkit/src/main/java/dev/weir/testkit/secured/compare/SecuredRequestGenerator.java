package dev.weir.testkit.secured.compare;

import static dev.weir.testkit.secured.compare.ComparedEndpointClient.PIT;
import static dev.weir.testkit.secured.compare.ComparedEndpointClient.SCROLL;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Generates reads of every action that the gateway coordinates: of permitted, forbidden and missing
 * indices, by name, wildcard, alias and data stream. Confined to one thread.
 */
final class SecuredRequestGenerator {
  private static final List<String> TARGETS =
      List.of(
          "orders-2027-01",
          "orders-2027-02",
          "orders-2027-*",
          "orders-20*",
          "orders-2027-0*,-orders-2027-01",
          "orders-2026-10,orders-2027-02",
          "orders-latest",
          "orders-latest,orders-2027-01",
          "events-shop",
          "events-shop,orders-2027-01",
          "payrolls",
          "payrolls,orders-2027-01",
          "pay*",
          "pay*,orders-2027-*",
          "none-such",
          "none-such,orders-2027-01",
          "none-*",
          ".opendistro_security");

  private static final List<String> INDICES =
      List.of(
          "orders-2027-01",
          "orders-2027-02",
          "orders-2026-11",
          "orders-latest",
          "payrolls",
          "events-shop",
          "none-such");

  /** Has shards' results merged two at a time, in the order in which they arrive. */
  private static final String SMALL_BATCHES = "?batched_reduce_size=2";

  private static final List<String> SEARCH_PARAMETERS =
      List.of(
          "",
          "",
          "",
          "",
          "?ignore_unavailable=true",
          "?allow_no_indices=false",
          "?request_cache=true",
          "?preference=_primary",
          "?routing=a",
          "?pretty",
          "?search_type=dfs_query_then_fetch",
          SMALL_BATCHES,
          "?pre_filter_shard_size=1",
          "?typed_keys",
          "?rest_total_hits_as_int=true",
          "?filter_path=hits.hits._source,hits.total,aggregations",
          "?allow_partial_search_results=false",
          "?ccs_minimize_roundtrips=true",
          "?expand_wildcards=none");

  private static final List<String> GET_PARAMETERS =
      List.of(
          "",
          "",
          "?realtime=false",
          "?refresh=true",
          "?_source=false",
          "?_source_includes=customer,order",
          "?_source_excludes=region",
          "?stored_fields=customer",
          "?routing=b",
          "?preference=_primary",
          "?version=1",
          "?version=7");

  private final Random random;
  private final SearchBodyGenerator bodies;
  private final SecuredWriteGenerator writes;

  SecuredRequestGenerator(Random random) {
    this.random = random;
    this.bodies = new SearchBodyGenerator(random);
    this.writes = new SecuredWriteGenerator(random);
  }

  /** Returns one request, or several that belong together. */
  List<ComparedRequest> next() {
    ComparedIdentity[] all = ComparedIdentity.values();
    ComparedIdentity identity = all[random.nextInt(all.length)];
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> List.of(search(identity));
      case 7 -> List.of(uriSearch(identity));
      case 8 -> List.of(count(identity));
      case 9, 10 -> List.of(multiSearch(identity));
      case 11, 12 -> List.of(get(identity));
      case 13, 14 -> List.of(multiGet(identity));
      case 15 -> scroll(identity);
      case 16 -> pointInTime(identity);
      default -> writes.next(identity);
    };
  }

  private ComparedRequest search(ComparedIdentity identity) {
    String path = "/" + pick(TARGETS) + "/_search";
    String parameters = pick(SEARCH_PARAMETERS);
    String body = bodies.search();
    // the digits of merged percentiles depend on which shards answer first
    boolean isUnsteady = parameters.equals(SMALL_BATCHES) && body.contains("percentiles");
    return ComparedRequest.read(identity, "POST", isUnsteady ? path : path + parameters, body);
  }

  private ComparedRequest uriSearch(ComparedIdentity identity) {
    String query = pick(List.of("customer:customer-7", "region:south", "amount:%3E500", "*", "("));
    String path = "/" + pick(TARGETS) + "/_search?sort=order:asc&size=5&q=" + query;
    return ComparedRequest.read(identity, "GET", path, "");
  }

  private ComparedRequest count(ComparedIdentity identity) {
    String path = "/" + pick(TARGETS) + "/_count";
    return random.nextInt(4) == 0
        ? ComparedRequest.read(identity, "GET", path, "")
        : ComparedRequest.read(identity, "POST", path, "{\"query\":" + bodies.query(0) + "}");
  }

  private ComparedRequest multiSearch(ComparedIdentity identity) {
    StringBuilder lines = new StringBuilder();
    for (int parts = 1 + random.nextInt(4); parts > 0; parts--) {
      String target = pick(TARGETS).replace(",", "\",\"");
      lines
          .append(random.nextInt(5) == 0 ? "{}" : "{\"index\":[\"" + target + "\"]}")
          .append('\n')
          .append(bodies.search())
          .append('\n');
    }
    String path = pick(List.of("/_msearch", "/orders-2027-*/_msearch", "/payrolls/_msearch"));
    // a part without an index would search the drafts that other requests change
    String body = lines.toString();
    return ComparedRequest.read(
        identity,
        "POST",
        path,
        path.equals("/_msearch") ? body.replace("{}\n", "{\"index\":\"orders-2027-01\"}\n") : body);
  }

  private ComparedRequest get(ComparedIdentity identity) {
    String index = pick(INDICES);
    String id = pick(List.of("1", "2", "3", "n1", "n2", "n3", "n4", "n5", "none"));
    return switch (random.nextInt(5)) {
      case 0 -> ComparedRequest.read(identity, "HEAD", "/" + index + "/_doc/" + id, "");
      case 1 ->
          ComparedRequest.read(
              identity, "GET", "/" + index + "/_source/" + id + pick(GET_PARAMETERS), "");
      case 2 -> ComparedRequest.read(identity, "HEAD", "/" + index + "/_source/" + id, "");
      default ->
          ComparedRequest.read(
              identity, "GET", "/" + index + "/_doc/" + id + pick(GET_PARAMETERS), "");
    };
  }

  private ComparedRequest multiGet(ComparedIdentity identity) {
    if (random.nextInt(3) == 0) {
      String path = "/" + pick(INDICES) + "/_mget" + pick(GET_PARAMETERS);
      return ComparedRequest.read(
          identity, "POST", path, "{\"ids\":[\"1\",\"n2\",\"n3\",\"none\"]}");
    }
    List<String> items = new ArrayList<>();
    for (int parts = 1 + random.nextInt(5); parts > 0; parts--) {
      String source = random.nextInt(4) == 0 ? ",\"_source\":[\"customer\"]" : "";
      items.add(
          "{\"_index\":\"%s\",\"_id\":\"n%d\"%s}"
              .formatted(pick(INDICES), random.nextInt(20), source));
    }
    return ComparedRequest.read(
        identity, "POST", "/_mget", "{\"docs\":[" + String.join(",", items) + "]}");
  }

  /** Opens a scroll and reads it; now and then another user tries to read it, too. */
  private List<ComparedRequest> scroll(ComparedIdentity identity) {
    List<ComparedRequest> steps = new ArrayList<>();
    String body = "{\"size\":3,\"sort\":[{\"order\":{\"unmapped_type\":\"keyword\"}}]}";
    steps.add(
        ComparedRequest.once(identity, "POST", "/" + pick(TARGETS) + "/_search?scroll=1m", body));
    String page = "{\"scroll\":\"1m\",\"scroll_id\":\"" + SCROLL + "\"}";
    if (random.nextInt(3) == 0) {
      steps.add(ComparedRequest.once(another(identity), "POST", "/_search/scroll", page));
    }
    for (int pages = random.nextInt(3); pages > 0; pages--) {
      steps.add(ComparedRequest.once(identity, "POST", "/_search/scroll", page));
    }
    String end = "{\"scroll_id\":[\"" + SCROLL + "\"]}";
    if (random.nextInt(4) == 0) {
      steps.add(ComparedRequest.once(another(identity), "DELETE", "/_search/scroll", end));
    }
    steps.add(ComparedRequest.once(identity, "DELETE", "/_search/scroll", end));
    return steps;
  }

  /** Opens a point in time and searches it; now and then another user tries to search it, too. */
  private List<ComparedRequest> pointInTime(ComparedIdentity identity) {
    List<ComparedRequest> steps = new ArrayList<>();
    steps.add(
        ComparedRequest.once(
            identity, "POST", "/" + pick(TARGETS) + "/_search/point_in_time?keep_alive=1m", ""));
    String search =
        "{\"size\":3,\"pit\":{\"id\":\""
            + PIT
            + "\",\"keep_alive\":\"1m\"},\"sort\":[{\"order\":{\"unmapped_type\":\"keyword\"}}]}";
    if (random.nextInt(3) == 0) {
      steps.add(ComparedRequest.once(another(identity), "POST", "/_search", search));
    }
    steps.add(ComparedRequest.once(identity, "POST", "/_search", search));
    String end = "{\"pit_id\":[\"" + PIT + "\"]}";
    if (random.nextInt(4) == 0) {
      steps.add(ComparedRequest.once(another(identity), "DELETE", "/_search/point_in_time", end));
    }
    steps.add(ComparedRequest.once(identity, "DELETE", "/_search/point_in_time", end));
    return steps;
  }

  private ComparedIdentity another(ComparedIdentity identity) {
    ComparedIdentity[] all = ComparedIdentity.values();
    return all[(identity.ordinal() + 1 + random.nextInt(all.length - 1)) % all.length];
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
