package dev.weir.core.actions.authorization;

import java.util.Map;
import java.util.Set;

/** Users for tests. */
final class TestUsers {
  private TestUsers() {}

  static AuthenticatedUser named(String name, Set<String> roles, Set<String> attributeNames) {
    UserHeaders.Identity user = new UserHeaders.Identity(name, Set.of(), roles, null);
    return new AuthenticatedUser(name, roles, attributeNames, new UserHeaders(user, Map.of()));
  }
}
