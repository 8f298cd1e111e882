package dev.weir.core.actions.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.RequestFilter;
import dev.weir.protocol.NodeClients;
import dev.weir.rest.ExecutionFilter;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;

/**
 * Authorizes requests to one secured cluster, so that the gateway can coordinate them. Safe on any
 * thread.
 */
public final class GatewayAuthorization {
  /** More than the rules of a cluster need: they are one entry, whose size does not count. */
  private static final long RULES_BYTES = 1 << 20;

  private final AuthorizationCounts counts = new AuthorizationCounts();
  private final BooleanSupplier isActive;
  private final CredentialReader credentialReader;
  private final SecurityRulesCache rules;
  private final AuthenticationFilter authentication;
  private final AuthorizationFilter authorization;

  /**
   * How nodes are reached.
   *
   * @param views the newest cluster view
   * @param transport to read the security configuration
   * @param rest the nodes' REST ports
   */
  public record NodeAccess(
      ClusterViewSource views, NodeClients transport, SecurityCheckClient rest) {}

  /**
   * Creates the authorization of a cluster.
   *
   * @param isActive whether the gateway authorizes requests now; nothing here acts otherwise
   * @param neutralHeaders further headers that say nothing about a client, in lower case
   * @param decoders runs what takes too long for an event loop
   */
  public GatewayAuthorization(
      BooleanSupplier isActive,
      NodeAccess nodes,
      Set<String> neutralHeaders,
      CoordinationTimers timers,
      Executor decoders) {
    this.isActive = isActive;
    this.credentialReader = new CredentialReader(neutralHeaders);
    LongSupplier nanoClock = timers.nanoClock();
    this.rules =
        new SecurityRulesCache(
            ShortLivedCache.create(RULES_BYTES, read -> 0, nanoClock, counts),
            new SecurityRulesReader(
                new SecurityDocumentReader(nodes.transport, timers.scheduler()),
                () -> uuidOfSecurityIndex(nodes.views.current()),
                decoders));
    this.authentication =
        new AuthenticationFilter(
            isActive,
            rules,
            ShortLivedCache.create(
                CacheBounds.ofUsers(), GatewayAuthorization::bytes, nanoClock, counts),
            nodes.rest,
            () -> nodes.views.current().state().getClusterName().value(),
            credentialReader);
    this.authorization =
        new AuthorizationFilter(
            isActive,
            nodes.views,
            new MultiSearchAuthorization.Services(
                new SearchPermissions(new IndexNameResolver(new ThreadContext(Settings.EMPTY))),
                PermissionChecker.create(nanoClock, counts, nodes.rest),
                DenialReasonReader.create(nanoClock, counts, nodes.rest)),
            counts);
  }

  private static int bytes(Optional<AuthenticatedUser> user) {
    return user.isEmpty() ? 0 : user.get().bytes();
  }

  private static String uuidOfSecurityIndex(ClusterView view) {
    IndexMetadata index = view.state().metadata().index(SecurityDocumentReader.SECURITY_INDEX);
    return index == null ? "" : index.getIndexUUID();
  }

  /**
   * Takes other headers for those that say nothing about a client.
   *
   * @param names in addition to those that the gateway knows, in lower case
   */
  public void updateNeutralHeaders(Set<String> names) {
    credentialReader.updateNeutralHeaders(names);
  }

  /** Returns the filter that finds out who sends a request. */
  public RequestFilter authenticationFilter() {
    return authentication;
  }

  /** Returns the filter of actions, the first of all. */
  public ExecutionFilter authorizationFilter() {
    return authorization;
  }

  /** Returns a sender that refuses calls which name no user. */
  public NodeSender guard(NodeSender sender) {
    return new IdentityGuard(isActive, counts, sender);
  }

  /** Returns whether the gateway authorizes requests now. */
  public boolean isActive() {
    return isActive.getAsBoolean();
  }

  AuthorizationCounts counts() {
    return counts;
  }

  SecurityRulesCache rules() {
    return rules;
  }
}
