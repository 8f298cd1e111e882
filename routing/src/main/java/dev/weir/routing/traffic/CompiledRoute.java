package dev.weir.routing.traffic;

import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.RoutePolicy;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A route with precompiled conditions. Immutable. */
final class CompiledRoute {
  private final Set<String> methods;
  private final EnumSet<Action> actions;
  private final List<WildcardPattern> indices;
  private final List<WildcardPattern> users;
  private final List<WildcardPattern> tenants;
  private final List<Header> headers;

  /**
   * A header that a request must have.
   *
   * @param name in lower case
   */
  record Header(String name, WildcardPattern value) {}

  CompiledRoute(RoutePolicy route) {
    this.methods = Set.copyOf(route.methods());
    this.actions =
        route.actions().isEmpty() ? EnumSet.allOf(Action.class) : EnumSet.copyOf(route.actions());
    this.indices = patterns(route.indices());
    this.users = patterns(route.users());
    this.tenants = patterns(route.tenants());
    this.headers =
        route.headers().entrySet().stream()
            .map(header ->
                new Header(
                    header.getKey().toLowerCase(Locale.ROOT),
                    new WildcardPattern(header.getValue())))
            .toList();
  }

  private static List<WildcardPattern> patterns(List<String> texts) {
    return texts.stream().map(WildcardPattern::new).toList();
  }

  List<WildcardPattern> indices() {
    return indices;
  }

  List<WildcardPattern> users() {
    return users;
  }

  List<WildcardPattern> tenants() {
    return tenants;
  }

  List<Header> headers() {
    return headers;
  }

  boolean matchesAction(Action action) {
    return actions.contains(action);
  }

  boolean matches(RoutableRequest request) {
    return actions.contains(request.action())
        && (methods.isEmpty() || methods.contains(request.method()))
        && (indices.isEmpty() || matchesAllIndices(request.indices()))
        && (users.isEmpty() || matchesAny(users, request.user()))
        && (tenants.isEmpty() || matchesAny(tenants, request.tenant()))
        && (headers.isEmpty() || headers(request));
  }

  private boolean matchesAllIndices(List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      if (!matchesAny(indices, names.get(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean headers(RoutableRequest request) {
    for (Header header : headers) {
      String value = request.header(header.name());
      if (value == null || !header.value().matches(value)) {
        return false;
      }
    }
    return true;
  }

  private static boolean matchesAny(List<WildcardPattern> patterns, @Nullable String name) {
    if (name == null) {
      return false;
    }
    for (int i = 0; i < patterns.size(); i++) {
      if (patterns.get(i).matches(name)) {
        return true;
      }
    }
    return false;
  }
}
