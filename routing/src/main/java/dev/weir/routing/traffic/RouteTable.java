package dev.weir.routing.traffic;

import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.RoutePolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first of many routes that matches a request, without looking at each of them.
 * Immutable.
 *
 * <p>A route lies in one place alone: by its indices, its users, its tenants or one of its headers,
 * whichever has the fewest routes beside it; or, with none of these, by action and method. A
 * request looks in the places that its own values lead to, and there at routes before the best one
 * so far.
 */
public final class RouteTable {
  private final List<RoutePolicy> routes;
  private final CompiledRoute[] compiled;
  private final PatternTree indices = new PatternTree();
  private final PatternTree users = new PatternTree();
  private final PatternTree tenants = new PatternTree();
  private final Map<String, PatternTree> headers = new HashMap<>();
  private final boolean byIndices;
  private final boolean byUsers;
  private final boolean byTenants;
  private final ByKind others;

  /** Makes a table of routes, the first one first. */
  public RouteTable(List<RoutePolicy> routes) {
    this.routes = List.copyOf(routes);
    this.compiled = this.routes.stream().map(CompiledRoute::new).toArray(CompiledRoute[]::new);
    List<Integer> left = new ArrayList<>();
    boolean anyIndices = false;
    boolean anyUsers = false;
    boolean anyTenants = false;
    Crowds crowds = new Crowds(compiled);
    for (int number = 0; number < compiled.length; number++) {
      CompiledRoute route = compiled[number];
      Place place = crowds.leastCrowded(route);
      switch (place) {
        case Place.Indices() -> {
          anyIndices = true;
          add(indices, route.indices(), number);
        }
        case Place.Users() -> {
          anyUsers = true;
          add(users, route.users(), number);
        }
        case Place.Tenants() -> {
          anyTenants = true;
          add(tenants, route.tenants(), number);
        }
        case Place.Header(String name, TextPattern value) ->
            headers.computeIfAbsent(name, any -> new PatternTree()).add(value, number);
        case Place.Kind() -> left.add(number);
      }
    }
    this.byIndices = anyIndices;
    this.byUsers = anyUsers;
    this.byTenants = anyTenants;
    this.others = new ByKind(this.routes, compiled, left);
  }

  private static void add(PatternTree tree, List<TextPattern> patterns, int number) {
    patterns.forEach(pattern -> tree.add(pattern, number));
  }

  /** What a route lies by. */
  sealed interface Place {
    /** Its indices. */
    record Indices() implements Place {}

    /** Its users. */
    record Users() implements Place {}

    /** Its tenants. */
    record Tenants() implements Place {}

    /** One of its headers. */
    record Header(String name, TextPattern value) implements Place {}

    /** Its actions and methods. */
    record Kind() implements Place {}
  }

  /** Whether there is no route. */
  public boolean isEmpty() {
    return compiled.length == 0;
  }

  /** The routes, the first one first. */
  public List<RoutePolicy> routes() {
    return routes;
  }

  /** The first route that matches; null for none. */
  public @Nullable RoutePolicy match(Routed request) {
    if (compiled.length == 0) {
      return null;
    }
    Look look = new Look(request);
    look.through(others.row(look.method(), look.action()));
    if (byIndices) {
      // all indices must match, so the first one does
      indices.walk(look.indices().getFirst(), look);
    }
    if (byTenants) {
      tenants.walk(look.tenant(), look);
    }
    for (Map.Entry<String, PatternTree> header : headers.entrySet()) {
      String value = request.header(header.getKey());
      if (value != null) {
        header.getValue().walk(value, look);
      }
    }
    String user = byUsers ? look.user() : null;
    if (user != null) {
      users.walk(user, look);
    }
    return look.first == compiled.length ? null : routes.get(look.first);
  }

  /** The first route found so far for a request, which is asked once for what it has. */
  private final class Look implements PatternTree.Search, Routed {
    private final Routed request;
    private final String method;
    private final Action action;
    private @Nullable List<String> indices;
    private @Nullable String tenant;
    private @Nullable String user;
    private boolean userKnown;
    private int first = compiled.length;

    Look(Routed request) {
      this.request = request;
      this.method = request.method();
      this.action = request.action();
    }

    @Override
    public void through(int[] numbers) {
      for (int number : numbers) {
        if (number >= first) {
          return;
        }
        if (compiled[number].matches(this)) {
          first = number;
          return;
        }
      }
    }

    @Override
    public String method() {
      return method;
    }

    @Override
    public Action action() {
      return action;
    }

    @Override
    public List<String> indices() {
      List<String> known = indices;
      if (known == null) {
        known = request.indices();
        indices = known;
      }
      return known;
    }

    @Override
    public @Nullable String header(String name) {
      return request.header(name);
    }

    @Override
    public @Nullable String user() {
      if (!userKnown) {
        user = request.user();
        userKnown = true;
      }
      return user;
    }

    @Override
    public String tenant() {
      String known = tenant;
      if (known == null) {
        known = request.tenant();
        tenant = known;
      }
      return known;
    }
  }

  /** How many routes would lie beside each other if each lay everywhere. */
  private static final class Crowds {
    private final PatternTree indices = new PatternTree();
    private final PatternTree users = new PatternTree();
    private final PatternTree tenants = new PatternTree();
    private final Map<String, PatternTree> headers = new HashMap<>();

    Crowds(CompiledRoute[] routes) {
      for (int number = 0; number < routes.length; number++) {
        CompiledRoute route = routes[number];
        add(indices, route.indices(), number);
        add(users, route.users(), number);
        add(tenants, route.tenants(), number);
        for (CompiledRoute.Header header : route.headers()) {
          headers
              .computeIfAbsent(header.name(), any -> new PatternTree())
              .add(header.value(), number);
        }
      }
    }

    Place leastCrowded(CompiledRoute route) {
      Place place = new Place.Kind();
      int least = Integer.MAX_VALUE;
      int crowd = crowd(indices, route.indices());
      if (crowd < least) {
        least = crowd;
        place = new Place.Indices();
      }
      crowd = crowd(tenants, route.tenants());
      if (crowd < least) {
        least = crowd;
        place = new Place.Tenants();
      }
      for (CompiledRoute.Header header : route.headers()) {
        PatternTree tree = headers.get(header.name());
        crowd = tree == null ? Integer.MAX_VALUE : tree.crowd(header.value());
        if (crowd < least) {
          least = crowd;
          place = new Place.Header(header.name(), header.value());
        }
      }
      return crowd(users, route.users()) < least ? new Place.Users() : place;
    }

    private static int crowd(PatternTree tree, List<TextPattern> patterns) {
      return patterns.isEmpty()
          ? Integer.MAX_VALUE
          : patterns.stream().mapToInt(tree::crowd).max().getAsInt();
    }
  }

  /** Routes that are told by action and method alone. */
  private static final class ByKind {
    private final Map<String, int[][]> byMethod;
    private final int[][] otherMethods;

    ByKind(List<RoutePolicy> routes, CompiledRoute[] compiled, List<Integer> numbers) {
      Set<String> methods =
          numbers.stream()
              .flatMap(number -> routes.get(number).methods().stream())
              .collect(Collectors.toSet());
      this.byMethod =
          methods.stream()
              .collect(
                  Collectors.toMap(
                      method -> method, method -> rows(routes, compiled, numbers, method)));
      this.otherMethods = rows(routes, compiled, numbers, "");
    }

    private static int[][] rows(
        List<RoutePolicy> routes, CompiledRoute[] compiled, List<Integer> numbers, String method) {
      int[][] rows = new int[Action.values().length][];
      for (Action action : Action.values()) {
        rows[action.ordinal()] =
            numbers.stream()
                .filter(number -> compiled[number].takes(action))
                .filter(number -> {
                  List<String> of = routes.get(number).methods();
                  return of.isEmpty() || of.contains(method);
                })
                .mapToInt(Integer::intValue)
                .toArray();
      }
      return rows;
    }

    int[] row(String method, Action action) {
      return byMethod.getOrDefault(method, otherMethods)[action.ordinal()];
    }
  }
}
