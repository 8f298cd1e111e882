package dev.weir.bench.routes;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.admission.head.IndexPathParser;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.routing.traffic.RoutableRequest;
import dev.weir.routing.traffic.RouteTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Finds the route of a request among 1000, including the parsing of its path: requests that match
 * each route in turn, and one that matches none.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RouteMatchingBenchmark {
  private static final int COUNT = 1000;

  /**
   * What distinguishes the routes: whole names, prefixes, suffixes, infixes, users, values of a
   * header, tenants and actions with one index pattern, or all of them mixed.
   */
  @Param({"names", "beginnings", "ends", "within", "users", "headers", "mixed"})
  public String shape = "names";

  private RouteTable table = new RouteTable(List.of());
  private SampleRequest[] requests = {};
  private SampleRequest unmatched = new SampleRequest("/none/_search", "nobody");
  private int next;

  /** The headers of a request; each method parses them again. */
  private record SampleRequest(String uri, String name) implements RoutableRequest {
    @Override
    public String method() {
      return "POST";
    }

    @Override
    public Action action() {
      return ActionClassifier.classify("POST", uri);
    }

    @Override
    public List<String> indices() {
      return IndexPathParser.parse(uri);
    }

    @Override
    public @Nullable String header(String header) {
      return header.equalsIgnoreCase("x-app") ? name : null;
    }

    @Override
    public String user() {
      return name;
    }

    @Override
    public String tenant() {
      return name;
    }
  }

  /** Creates the routes, and a request for each of them. */
  @Setup
  public void prepare() {
    IntFunction<RoutePolicy> route =
        switch (shape) {
          case "names" -> i -> route(i, List.of(name(i)), "", "", "");
          case "beginnings" -> i -> route(i, List.of(name(i) + "-*"), "", "", "");
          case "ends" -> i -> route(i, List.of("*-" + name(i)), "", "", "");
          case "within" -> i -> route(i, List.of("*" + name(i) + "*"), "", "", "");
          case "users" -> i -> route(i, List.of("*"), name(i), "", "");
          case "headers" -> i -> route(i, List.of("*"), "", name(i), "");
          case "mixed" ->
              i ->
                  switch (i % 5) {
                    case 0 -> route(i, List.of(name(i)), "", "", "");
                    case 1 -> route(i, List.of(name(i) + "*", "other-" + i), "", "", "");
                    case 2 -> route(i, List.of("*"), name(i), "", "");
                    case 3 -> route(i, List.of("*"), "", name(i), "");
                    default -> route(i, List.of(), "", "", name(i));
                  };
          default -> throw new IllegalArgumentException("got " + shape + " (expected: a shape)");
        };
    table = new RouteTable(IntStream.range(0, COUNT).mapToObj(route).toList());
    requests =
        IntStream.range(0, COUNT)
            .mapToObj(i -> new SampleRequest("/" + index(i) + "/_search?size=10", name(i)))
            .toArray(SampleRequest[]::new);
    unmatched = new SampleRequest("/products-of-nobody-2024/_search?size=10", "nobody");
    for (SampleRequest request : requests) {
      if (table.match(request) == null) {
        throw new IllegalStateException("got no route for " + request + " (expected: its own)");
      }
    }
  }

  private String index(int i) {
    return switch (shape) {
      case "beginnings" -> name(i) + "-2024-01-01";
      case "ends" -> "logs-2024-01-01-" + name(i);
      case "within" -> "logs-" + name(i) + "-2024";
      default -> name(i);
    };
  }

  private static String name(int i) {
    return "service" + i * 7919 % 10_007;
  }

  private static RoutePolicy route(
      int i, List<String> indices, String user, String header, String tenant) {
    return new RoutePolicy(
        "r" + i,
        indices,
        List.of(Action.SEARCH),
        List.of("GET", "POST"),
        header.isEmpty() ? Map.of() : Map.of("X-App", header),
        user.isEmpty() ? List.of() : List.of(user),
        tenant.isEmpty() ? List.of() : List.of(tenant),
        "p");
  }

  /** Matches a request that has a route. */
  @Benchmark
  public @Nullable RoutePolicy match() {
    next = next + 1 == COUNT ? 0 : next + 1;
    return table.match(requests[next]);
  }

  /** Matches a request without a route. */
  @Benchmark
  public @Nullable RoutePolicy matchNone() {
    return table.match(unmatched);
  }
}
