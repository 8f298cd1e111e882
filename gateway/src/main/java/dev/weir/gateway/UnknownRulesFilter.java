package dev.weir.gateway;

import dev.weir.model.NodeRequestRules;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import dev.weir.rest.PassThroughReasons;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Has requests whose bodies may name indices pass through until a node has reported whether it
 * allows that. The REST handlers apply the rule later. Safe on any thread.
 *
 * @param rules the present rules of the nodes
 */
record UnknownRulesFilter(Supplier<NodeRequestRules> rules) implements RouteFilter {
  /** The requests that {@code rest.action.multi.allow_explicit_index} restricts. */
  private static final Set<String> ACTIONS = Set.of("bulk", "mget", "msearch");

  private static final Decision DECIDED_BY_NODE = new PassThrough(PassThroughReasons.NODE_SETTING);

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof Coordinate(String action, _)
            && ACTIONS.contains(action)
            && !rules.get().isKnown()
        ? DECIDED_BY_NODE
        : decision;
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
