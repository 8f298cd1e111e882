package dev.weir.core.actions.authorization;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.RequestFilter;
import dev.weir.protocol.NodeClients;
import dev.weir.rest.ExecutionFilter;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;

/**
 * Authorizes requests to one secured cluster, so that the gateway can coordinate them. Safe on any
 * thread.
 */
public final class GatewayAuthorization {
  private final AuthorizationCounts counts = new AuthorizationCounts();
  private final BooleanSupplier isActive;
  private final FreshRules rules;
  private final AuthenticationFilter authentication;
  private final AuthorizationFilter authorization;

  /**
   * Creates the authorization of a cluster.
   *
   * @param isActive whether the gateway authorizes requests now; nothing here acts otherwise
   * @param nodes the nodes' transport, to read the security configuration
   * @param questions the nodes' REST ports
   * @param nanoClock such as {@link System#nanoTime}
   */
  public GatewayAuthorization(
      BooleanSupplier isActive,
      ClusterViewSource views,
      NodeClients nodes,
      NodeQuestions questions,
      LongSupplier nanoClock) {
    this.isActive = isActive;
    this.rules =
        new FreshRules(new FreshCache<>(nanoClock, counts), new SecurityRulesReader(nodes));
    this.authentication =
        new AuthenticationFilter(
            isActive,
            rules,
            new FreshCache<>(nanoClock, counts),
            questions,
            () -> views.current().state().getClusterName().value());
    this.authorization =
        new AuthorizationFilter(
            isActive,
            views,
            new MultiSearchAuthorization.Services(
                new SearchPermissions(new IndexNameResolver(new ThreadContext(Settings.EMPTY))),
                PermissionChecker.create(nanoClock, counts, questions),
                RefusalReader.create(nanoClock, counts, questions)),
            counts);
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

  AuthorizationCounts counts() {
    return counts;
  }

  FreshRules rules() {
    return rules;
  }
}
