package dev.weir.core.actions.authorization;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which roles read attributes of users, and the attributes of internal users, whose values the
 * security configuration has. Immutable.
 *
 * @param roles roles whose rules refer to attributes of the user
 * @param internalUsers attributes by user; users with a value that could change a query are left
 *     out
 */
record AttributeRules(Set<String> roles, Map<String, Map<String, String>> internalUsers) {
  /** What the names of attributes begin with that nodes read in the security configuration. */
  private static final String INTERNAL = "attr.internal.";

  /** Marks an account of a service, which nodes authorize in a way of their own. */
  private static final String SERVICE = INTERNAL + "service";

  private static final String PLAIN_SIGNS = " -_.@/+:";

  /**
   * Reads the attributes of internal users.
   *
   * @param users the document {@code internalusers}
   */
  static Map<String, Map<String, String>> parse(Map<String, Object> users) {
    Map<String, Map<String, String>> all = new HashMap<>();
    users.forEach((name, user) -> {
      if (user instanceof Map<?, ?> fields
          && fields.get("attributes") instanceof Map<?, ?> attributes
          && attributes.values().stream().allMatch(AttributeRules::isPlain)) {
        Map<String, String> named = new HashMap<>();
        attributes.forEach((key, value) -> named.put(INTERNAL + key, String.valueOf(value)));
        all.put(name, Map.copyOf(named));
      }
    });
    return Map.copyOf(all);
  }

  /** Nodes put values into queries of document-level security as they are. */
  private static boolean isPlain(@Nullable Object value) {
    return value instanceof String text
        && text.chars().allMatch(c -> Character.isLetterOrDigit(c) || PLAIN_SIGNS.indexOf(c) >= 0);
  }

  /**
   * Returns the attributes that nodes need to apply the user's roles, by the names that nodes give
   * them; null if only nodes know their values.
   */
  @Nullable Map<String, String> valuesOf(AuthenticatedUser user) {
    if (user.attributeNames().contains(SERVICE)) {
      return null; // a node that does not see the attribute takes it for an ordinary user
    }
    if (user.attributeNames().isEmpty() || Collections.disjoint(user.roles(), roles)) {
      return Map.of();
    }
    Map<String, String> values = internalUsers.get(user.name());
    boolean isComplete =
        values != null && values.keySet().equals(new HashSet<>(user.attributeNames()));
    return isComplete ? values : null;
  }
}
