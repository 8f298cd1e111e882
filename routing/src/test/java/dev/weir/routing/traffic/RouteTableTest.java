package dev.weir.routing.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.RoutePolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RouteTableTest {
  private static final List<String> METHODS = List.of("GET", "POST", "PUT", "DELETE");

  /** A request with all of its properties. */
  private record Asked(
      String method,
      Action action,
      List<String> indices,
      Map<String, String> headers,
      @Nullable String user,
      String tenant)
      implements RoutableRequest {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }
  }

  private static Asked search(String... indices) {
    return new Asked("GET", Action.SEARCH, List.of(indices), Map.of(), null, "none");
  }

  private static RoutePolicy byIndices(String name, String... indices) {
    return new RoutePolicy(
        name, List.of(indices), List.of(), List.of(), Map.of(), List.of(), List.of(), "p");
  }

  private static @Nullable String matched(List<RoutePolicy> routes, RoutableRequest request) {
    RoutePolicy found = new RouteTable(routes).match(request);
    return found == null ? null : found.name();
  }

  @Test
  void useTheFirstMatch() {
    List<RoutePolicy> routes =
        List.of(
            byIndices("long", "logs-2024-*"),
            byIndices("logs", "logs-*", "trace"),
            byIndices("late", "logs-2024-01"),
            byIndices("end", "*-archive"),
            byIndices("all", "*"));
    assertThat(matched(routes, search("logs-2024-01"))).isEqualTo("long");
    assertThat(matched(routes, search("logs-1"))).isEqualTo("logs");
    assertThat(matched(routes, search("logs-1", "trace"))).isEqualTo("logs");
    assertThat(matched(routes, search("logs-1", "other"))).isEqualTo("all");
    assertThat(matched(routes, search("old-archive"))).isEqualTo("end");
    assertThat(matched(routes, search("logs-*"))).as("as text").isEqualTo("logs");
    assertThat(matched(routes, search("log*"))).isEqualTo("all");
    assertThat(matched(routes, search("*"))).isEqualTo("all");
    assertThat(matched(routes.subList(0, 4), search("*"))).isNull();
    assertThat(matched(List.of(), search("*"))).isNull();
  }

  @Test
  void requireAllConditions() {
    RoutePolicy route =
        new RoutePolicy(
            "r",
            List.of("a*"),
            List.of(Action.SEARCH, Action.GET),
            List.of("GET"),
            Map.of("X-Canary", "*", "X-App", "kibana-*"),
            List.of("app"),
            List.of("gold-*"),
            "p");
    Asked right =
        new Asked(
            "GET",
            Action.SEARCH,
            List.of("ab"),
            Map.of("x-canary", "", "x-app", "kibana-1"),
            "app",
            "gold-7");
    List<RoutePolicy> routes = List.of(route);
    assertThat(matched(routes, right)).isEqualTo("r");
    assertThat(
            matched(
                routes,
                new Asked("POST", right.action, right.indices, right.headers, "app", right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked("GET", Action.BULK, right.indices, right.headers, "app", right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked("GET", right.action, List.of("b"), right.headers, "app", right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked(
                    "GET",
                    right.action,
                    right.indices,
                    Map.of("x-app", "kibana-1"),
                    "app",
                    right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked(
                    "GET",
                    right.action,
                    right.indices,
                    Map.of("x-canary", "", "x-app", "k"),
                    "app",
                    right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked("GET", right.action, right.indices, right.headers, null, right.tenant)))
        .isNull();
    assertThat(
            matched(
                routes,
                new Asked("GET", right.action, right.indices, right.headers, "app", "silver")))
        .isNull();
  }

  /** The table finds the same route as a linear search. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10, 100, 1000})
  void agreeWithALinearSearch(int count) {
    Random random = new Random(count);
    int found = 0;
    for (int round = 0; round < 3000 / count + 20; round++) {
      boolean few = random.nextInt(4) > 0;
      List<RoutePolicy> routes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        routes.add(route(random, "r" + i, few));
      }
      RouteTable table = new RouteTable(routes);
      for (int i = 0; i < 200; i++) {
        Asked request = request(random);
        RoutePolicy expected = naive(routes, request);
        found += expected == null ? 0 : 1;
        assertThat(table.match(request)).as("%s in %s", request, routes).isSameAs(expected);
      }
    }
    assertThat(found).isPositive();
  }

  private static @Nullable RoutePolicy naive(List<RoutePolicy> routes, Asked request) {
    for (RoutePolicy route : routes) {
      boolean matches =
          (route.methods().isEmpty() || route.methods().contains(request.method))
              && (route.actions().isEmpty() || route.actions().contains(request.action))
              && (route.indices().isEmpty()
                  || request.indices.stream().allMatch(name -> any(route.indices(), name)))
              && (route.users().isEmpty()
                  || (request.user != null && any(route.users(), request.user)))
              && (route.tenants().isEmpty() || any(route.tenants(), request.tenant))
              && route.headers().entrySet().stream()
                  .allMatch(header -> {
                    String value = request.header(header.getKey());
                    return value != null && any(List.of(header.getValue()), value);
                  });
      if (matches) {
        return route;
      }
    }
    return null;
  }

  private static boolean any(List<String> patterns, String name) {
    return patterns.stream()
        .anyMatch(pattern ->
            Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q"), Pattern.DOTALL)
                .matcher(name)
                .matches());
  }

  private static RoutePolicy route(Random random, String name, boolean few) {
    int least = few ? 4 : 2;
    return new RoutePolicy(
        name,
        texts(random, least, "ab-*", 4),
        random.nextInt(least) > 0
            ? List.of()
            : List.of(Action.values()[random.nextInt(5)], Action.values()[random.nextInt(5)]),
        random.nextInt(least) > 0 ? List.of() : List.of(METHODS.get(random.nextInt(3))),
        headers(random, least),
        texts(random, least + 2, "ab*", 2),
        texts(random, least + 2, "ab*", 2),
        "p");
  }

  private static Map<String, String> headers(Random random, int least) {
    Map<String, String> headers = new LinkedHashMap<>();
    while (random.nextInt(least) == 0) {
      headers.put(random.nextBoolean() ? "X-A" : "x-b", text(random, "ab*", 2));
    }
    return headers;
  }

  private static Asked request(Random random) {
    List<String> indices = new ArrayList<>();
    do {
      indices.add(text(random, "ab-*", 5));
    } while (random.nextInt(3) == 0);
    Map<String, String> headers = new TreeMap<>();
    if (random.nextBoolean()) {
      headers.put(random.nextBoolean() ? "x-a" : "x-b", text(random, "ab", 3));
    }
    return new Asked(
        METHODS.get(random.nextInt(4)),
        Action.values()[random.nextInt(5)],
        indices,
        headers,
        random.nextBoolean() ? null : text(random, "ab", 3),
        text(random, "ab", 3));
  }

  private static List<String> texts(Random random, int least, String letters, int length) {
    List<String> texts = new ArrayList<>();
    while (random.nextInt(least) == 0) {
      texts.add(text(random, letters, length));
    }
    return texts;
  }

  private static String text(Random random, String letters, int length) {
    StringBuilder text = new StringBuilder();
    int count = random.nextInt(length + 1);
    for (int i = 0; i < count; i++) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
