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
 * Finds the first of many routes that matches a request without checking each of them. Immutable.
 *
 * <p>Each route has one lookup key: its indices, its users, its tenants or one of its headers,
 * whichever shares its key with the fewest other routes; without any of these, its actions and
 * methods. A request looks up its own values, and checks only routes before the best match so far.
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
  private final ActionMethodIndex byActionAndMethod;

  /** Creates a table of routes in order of precedence. */
  public RouteTable(List<RoutePolicy> routes) {
    this.routes = List.copyOf(routes);
    this.compiled = this.routes.stream().map(CompiledRoute::new).toArray(CompiledRoute[]::new);
    List<Integer> left = new ArrayList<>();
    boolean anyIndices = false;
    boolean anyUsers = false;
    boolean anyTenants = false;
    SelectivityCounter counter = new SelectivityCounter(compiled);
    for (int number = 0; number < compiled.length; number++) {
      CompiledRoute route = compiled[number];
      LookupKey bestKey = counter.findMostSelectiveKey(route);
      switch (bestKey) {
        case LookupKey.Indices() -> {
          anyIndices = true;
          add(indices, route.indices(), number);
        }
        case LookupKey.Users() -> {
          anyUsers = true;
          add(users, route.users(), number);
        }
        case LookupKey.Tenants() -> {
          anyTenants = true;
          add(tenants, route.tenants(), number);
        }
        case LookupKey.Header(String name, WildcardPattern value) ->
            headers.computeIfAbsent(name, any -> new PatternTree()).add(value, number);
        case LookupKey.ActionAndMethod() -> left.add(number);
      }
    }
    this.byIndices = anyIndices;
    this.byUsers = anyUsers;
    this.byTenants = anyTenants;
    this.byActionAndMethod = new ActionMethodIndex(this.routes, compiled, left);
  }

  private static void add(PatternTree tree, List<WildcardPattern> patterns, int number) {
    patterns.forEach(pattern -> tree.add(pattern, number));
  }

  /** The lookup key of a route. */
  sealed interface LookupKey {
    /** The route's indices. */
    record Indices() implements LookupKey {}

    /** The route's users. */
    record Users() implements LookupKey {}

    /** The route's tenants. */
    record Tenants() implements LookupKey {}

    /** One of the route's headers. */
    record Header(String name, WildcardPattern value) implements LookupKey {}

    /** The route's actions and methods. */
    record ActionAndMethod() implements LookupKey {}
  }

  /** Returns true without any route. */
  public boolean isEmpty() {
    return compiled.length == 0;
  }

  /** Returns the routes in order of precedence. */
  public List<RoutePolicy> routes() {
    return routes;
  }

  /** Returns the first matching route; null for none. */
  public @Nullable RoutePolicy match(RoutableRequest request) {
    if (compiled.length == 0) {
      return null;
    }
    RouteLookup lookup = new RouteLookup(request);
    lookup.visit(byActionAndMethod.find(lookup.method(), lookup.action()));
    if (byIndices) {
      // all indices must match, so the first one does too
      indices.visitMatches(lookup.indices().getFirst(), lookup);
    }
    if (byTenants) {
      tenants.visitMatches(lookup.tenant(), lookup);
    }
    for (Map.Entry<String, PatternTree> header : headers.entrySet()) {
      String value = request.header(header.getKey());
      if (value != null) {
        header.getValue().visitMatches(value, lookup);
      }
    }
    String user = byUsers ? lookup.user() : null;
    if (user != null) {
      users.visitMatches(user, lookup);
    }
    return lookup.first == compiled.length ? null : routes.get(lookup.first);
  }

  /** The best match so far of one request; reads each property of the request once. */
  private final class RouteLookup implements PatternTree.Visitor, RoutableRequest {
    private final RoutableRequest request;
    private final String method;
    private final Action action;
    private @Nullable List<String> indices;
    private @Nullable String tenant;
    private @Nullable String user;
    private boolean isUserResolved;
    private int first = compiled.length;

    RouteLookup(RoutableRequest request) {
      this.request = request;
      this.method = request.method();
      this.action = request.action();
    }

    @Override
    public void visit(int[] numbers) {
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
      if (!isUserResolved) {
        user = request.user();
        isUserResolved = true;
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

  /** Counts how many routes would share each key if every route used all of its keys. */
  private static final class SelectivityCounter {
    private final PatternTree indices = new PatternTree();
    private final PatternTree users = new PatternTree();
    private final PatternTree tenants = new PatternTree();
    private final Map<String, PatternTree> headers = new HashMap<>();

    SelectivityCounter(CompiledRoute[] routes) {
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

    LookupKey findMostSelectiveKey(CompiledRoute route) {
      LookupKey bestKey = new LookupKey.ActionAndMethod();
      int least = Integer.MAX_VALUE;
      int sharing = count(indices, route.indices());
      if (sharing < least) {
        least = sharing;
        bestKey = new LookupKey.Indices();
      }
      sharing = count(tenants, route.tenants());
      if (sharing < least) {
        least = sharing;
        bestKey = new LookupKey.Tenants();
      }
      for (CompiledRoute.Header header : route.headers()) {
        PatternTree tree = headers.get(header.name());
        sharing = tree == null ? Integer.MAX_VALUE : tree.countAt(header.value());
        if (sharing < least) {
          least = sharing;
          bestKey = new LookupKey.Header(header.name(), header.value());
        }
      }
      return count(users, route.users()) < least ? new LookupKey.Users() : bestKey;
    }

    private static int count(PatternTree tree, List<WildcardPattern> patterns) {
      return patterns.isEmpty()
          ? Integer.MAX_VALUE
          : patterns.stream().mapToInt(tree::countAt).max().getAsInt();
    }
  }

  /** Routes that only have actions and methods. */
  private static final class ActionMethodIndex {
    private final Map<String, int[][]> byMethod;
    private final int[][] otherMethods;

    ActionMethodIndex(List<RoutePolicy> routes, CompiledRoute[] compiled, List<Integer> numbers) {
      Set<String> methods =
          numbers.stream()
              .flatMap(number -> routes.get(number).methods().stream())
              .collect(Collectors.toSet());
      this.byMethod =
          methods.stream()
              .collect(
                  Collectors.toMap(
                      method -> method, method -> buildRows(routes, compiled, numbers, method)));
      this.otherMethods = buildRows(routes, compiled, numbers, "");
    }

    private static int[][] buildRows(
        List<RoutePolicy> routes, CompiledRoute[] compiled, List<Integer> numbers, String method) {
      int[][] rows = new int[Action.values().length][];
      for (Action action : Action.values()) {
        rows[action.ordinal()] =
            numbers.stream()
                .filter(number -> compiled[number].matchesAction(action))
                .filter(number -> {
                  List<String> of = routes.get(number).methods();
                  return of.isEmpty() || of.contains(method);
                })
                .mapToInt(Integer::intValue)
                .toArray();
      }
      return rows;
    }

    int[] find(String method, Action action) {
      return byMethod.getOrDefault(method, otherMethods)[action.ordinal()];
    }
  }
}
