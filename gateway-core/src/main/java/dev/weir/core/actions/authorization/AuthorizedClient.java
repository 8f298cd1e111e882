package dev.weir.core.actions.authorization;

import dev.weir.model.ClientIdentity;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The user of one request, with the credentials for further questions, and what nodes have
 * confirmed for this request. Confined to the request's event loop.
 */
final class AuthorizedClient implements ClientIdentity {
  private final ClientCredentials credentials;
  private final AuthenticatedUser user;
  private final SecurityRules rules;
  private final Map<String, String> headers;
  private final Executor eventLoop;
  private @Nullable Set<String> searchable = Set.of();

  /**
   * Creates the identity of a request for which nodes have confirmed nothing yet.
   *
   * @param user whom the gateway can name under the rules
   * @param eventLoop the event loop of the client's channel
   */
  AuthorizedClient(
      ClientCredentials credentials,
      AuthenticatedUser user,
      SecurityRules rules,
      Executor eventLoop) {
    this.credentials = credentials;
    this.user = user;
    this.rules = rules;
    this.headers = rules.headersOf(user);
    this.eventLoop = eventLoop;
  }

  ClientCredentials credentials() {
    return credentials;
  }

  @Override
  public boolean isRestricted() {
    return !rules.isUnrestricted(user);
  }

  /** Whether data nodes leave out by themselves what the user may not see. */
  boolean isRestrictedByDataNodes() {
    return rules.isRestrictedByDataNodes(user);
  }

  SecurityRules rules() {
    return rules;
  }

  Executor eventLoop() {
    return eventLoop;
  }

  @Override
  public Map<String, String> transportHeaders() {
    return headers;
  }

  /**
   * A node has confirmed that the user may search these indices.
   *
   * @param indices null for those of the request's point in time, which never change
   */
  void confirmSearch(@Nullable Set<String> indices) {
    searchable = indices;
  }

  @Override
  public boolean canSearch(Collection<String> indices) {
    return searchable == null || searchable.containsAll(indices);
  }
}
