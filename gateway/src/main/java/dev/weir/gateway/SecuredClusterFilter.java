package dev.weir.gateway;

import dev.weir.gateway.authorization.AuthorizationMode;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import dev.weir.rest.PassThroughReasons;
import dev.weir.routing.traffic.QueryParameters;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Has requests pass through unless nobody has to check the client's permissions, or the gateway can
 * do so. The gateway's own calls use its certificate, which has all permissions; a request that
 * passes through carries the client's credentials. Safe on any thread.
 *
 * @param mode returns the mode in force for the cluster
 */
record SecuredClusterFilter(Supplier<AuthorizationMode> mode) implements RouteFilter {
  /** The kinds of requests for which the gateway can tell beforehand what they need. */
  private static final Set<String> AUTHORIZED_ACTIONS =
      Set.of(
          "search",
          "msearch",
          "count",
          "scroll",
          "clear_scroll",
          "bulk",
          "get",
          "get_source",
          "index",
          "create",
          "delete");

  /**
   * Parameters of any request that the security plugin reads: they ask for a dry run, or say how
   * the client logs in.
   */
  private static final List<String> PLUGIN_PARAMETERS =
      List.of("perform_permission_check", "auth_type");

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    if (decision instanceof PassThrough) {
      return decision;
    }
    return switch (mode.get()) {
      case NONE -> decision;
      case DELEGATE -> delegate(decision);
      case GATEWAY ->
          decision instanceof Coordinate(String action, _) && AUTHORIZED_ACTIONS.contains(action)
              ? authorize(action, uri)
              : delegate(decision);
    };
  }

  private static Decision authorize(String action, String uri) {
    return hasPluginParameter(uri)
        ? PassThrough.delegated(PassThroughReasons.SECURITY_ACTION, action)
        : new Coordinate(action); // whole: parts would be authorized one by one
  }

  private static boolean hasPluginParameter(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return false;
    }
    boolean isEncoded = uri.indexOf('%', query) >= 0;
    for (String name : PLUGIN_PARAMETERS) {
      if ((isEncoded || uri.indexOf(name, query) >= 0) && QueryParameters.has(uri, name)) {
        return true;
      }
    }
    return false;
  }

  private static Decision delegate(Decision decision) {
    return decision instanceof Coordinate(String action, _)
        ? PassThrough.delegated(PassThroughReasons.SECURITY, action)
        : new PassThrough(PassThroughReasons.SECURITY);
  }

  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return decision;
  }

  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return decision;
  }
}
