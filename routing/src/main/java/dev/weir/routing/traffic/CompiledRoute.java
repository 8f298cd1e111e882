package dev.weir.routing.traffic;

import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.RoutePolicy;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A route ready to be compared with requests. Immutable. */
final class CompiledRoute {
  private final Set<String> methods;
  private final EnumSet<Action> actions;
  private final List<TextPattern> indices;
  private final List<TextPattern> users;
  private final List<TextPattern> tenants;
  private final List<Header> headers;

  /**
   * A header that a request must have.
   *
   * @param name in lower case
   */
  record Header(String name, TextPattern value) {}

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
                    header.getKey().toLowerCase(Locale.ROOT), new TextPattern(header.getValue())))
            .toList();
  }

  private static List<TextPattern> patterns(List<String> texts) {
    return texts.stream().map(TextPattern::new).toList();
  }

  List<TextPattern> indices() {
    return indices;
  }

  List<TextPattern> users() {
    return users;
  }

  List<TextPattern> tenants() {
    return tenants;
  }

  List<Header> headers() {
    return headers;
  }

  boolean takes(Action action) {
    return actions.contains(action);
  }

  boolean matches(Routed request) {
    return actions.contains(request.action())
        && (methods.isEmpty() || methods.contains(request.method()))
        && (indices.isEmpty() || all(request.indices()))
        && (users.isEmpty() || any(users, request.user()))
        && (tenants.isEmpty() || any(tenants, request.tenant()))
        && (headers.isEmpty() || headers(request));
  }

  private boolean all(List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      if (!any(indices, names.get(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean headers(Routed request) {
    for (Header header : headers) {
      String value = request.header(header.name());
      if (value == null || !header.value().matches(value)) {
        return false;
      }
    }
    return true;
  }

  private static boolean any(List<TextPattern> patterns, @Nullable String name) {
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
