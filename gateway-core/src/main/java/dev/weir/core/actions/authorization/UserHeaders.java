package dev.weir.core.actions.authorization;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers that name one user in calls to nodes. Keeps the ones written last, because the
 * attributes of a user seldom change. Safe on any thread.
 */
final class UserHeaders {
  /** The memory of a string besides its characters, and of its place in a collection. */
  static final int STRING_BYTES = 80;

  private final Identity user;
  private final Map<String, String> others;
  private volatile Written last;

  /**
   * What a node says about a user.
   *
   * @param backendRoles the roles that the user has where it is authenticated
   * @param roles the security roles
   * @param tenant the tenant that the client asks for
   */
  record Identity(
      String name, Set<String> backendRoles, Set<String> roles, @Nullable String tenant) {}

  private record Written(Map<String, String> attributes, Map<String, String> headers) {}

  /**
   * Creates the headers of a user.
   *
   * @param others the headers that do not depend on attributes
   */
  UserHeaders(Identity user, Map<String, String> others) {
    this.user = user;
    this.others = others;
    this.last = write(Map.of());
  }

  /**
   * Returns the headers of the user with these attributes.
   *
   * @param attributes by the names that nodes give them; immutable
   */
  Map<String, String> with(Map<String, String> attributes) {
    Written written = last;
    if (!written.attributes.equals(attributes)) {
      written = write(attributes);
      last = written;
    }
    return written.headers;
  }

  /** The memory of the headers and the names, roughly. */
  int bytes() {
    int bytes = user.name.length();
    for (String role : user.backendRoles) {
      bytes += role.length() + STRING_BYTES;
    }
    for (String value : last.headers.values()) {
      bytes += value.length() + STRING_BYTES;
    }
    return bytes;
  }

  private Written write(Map<String, String> attributes) {
    Map<String, String> headers = new HashMap<>(others);
    headers.put(AuthenticatedUser.USER_HEADER, UserHeaderWriter.writeUser(user, attributes));
    return new Written(attributes, Map.copyOf(headers));
  }
}
