package dev.weir.core.actions.authorization;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import dev.weir.rest.PassThroughReasons;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.delete.DeleteAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchScrollAction;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.tasks.TaskCancelledException;

/**
 * Lets an action continue once a node has confirmed that its user may do it. Every other action
 * passes through to a node, which answers with its own error if the user may not. Called on the
 * context's event loop.
 */
final class AuthorizationFilter implements ExecutionFilter {
  /** The first release whose nodes answer dry runs. */
  private static final Version MIN_VERSION = Version.V_3_2_0;

  private final BooleanSupplier isActive;
  private final ClusterViewSource views;
  private final MultiSearchAuthorization.Services services;
  private final AuthorizationCounts counts;

  /**
   * Creates the filter.
   *
   * @param isActive whether the gateway authorizes requests now
   */
  AuthorizationFilter(
      BooleanSupplier isActive,
      ClusterViewSource views,
      MultiSearchAuthorization.Services services,
      AuthorizationCounts counts) {
    this.isActive = isActive;
    this.views = views;
    this.services = services;
    this.counts = counts;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next) {
    if (!isActive.getAsBoolean()) {
      next.execute(action, request, context, listener);
      return;
    }
    if (!(context.resources().identity() instanceof AuthorizedClient client)) {
      throw new PassThroughException(PassThroughReasons.SECURITY);
    }
    requireVersion();
    if (request instanceof MultiSearchRequest all && action.name().equals(MultiSearchAction.NAME)) {
      new MultiSearchAuthorization(services, client, context, all)
          .start(
              views.current(),
              indices -> {
                counts.recordAuthorized();
                client.confirmSearch(indices);
                next.execute(action, request, context, listener);
              },
              listener::onFailure);
      return;
    }
    PermissionChecker checker = services.checker();
    SearchPermissions.Requirement needed = requirementOf(action, request, client, context);
    SearchPermissions.requireAccepted(needed.checks(), views.current());
    Runnable execute =
        () -> {
          counts.recordAuthorized();
          client.confirmSearch(needed.indices());
          next.execute(
              action,
              request,
              context,
              request instanceof GetRequest ? withErrorsOfNodes(listener) : listener);
        };
    switch (checker.getIfFresh(client, needed.checks())) {
      case GRANTED -> execute.run();
      case DENIED -> throw new PassThroughException(PassThroughReasons.SECURITY_DENIED);
      case UNKNOWN ->
          checker
              .check(client, needed.checks())
              .whenComplete((granted, failure) ->
                  context.runLater(() -> {
                    if (failure != null) {
                      listener.onFailure(
                          new PassThroughException(PassThroughReasons.SECURITY_CHECK));
                    } else if (!granted) {
                      listener.onFailure(
                          new PassThroughException(PassThroughReasons.SECURITY_DENIED));
                    } else {
                      run(execute, listener);
                    }
                  }));
    }
  }

  /**
   * Has a node answer in place of another node's error or of one about an index, so that nobody
   * learns more from an error than nodes tell. The gateway's own rejections say nothing about
   * documents, and another attempt at a node would undo them.
   */
  private static <R> ActionListener<R> withErrorsOfNodes(ActionListener<R> listener) {
    return ActionListener.wrap(
        listener::onResponse,
        failure ->
            listener.onFailure(
                isOwnRejection(failure)
                    ? failure
                    : new PassThroughException(PassThroughReasons.SECURITY_DENIED)));
  }

  /** Whether the gateway itself ended the request; errors of nodes have a wrapper around them. */
  private static boolean isOwnRejection(Exception failure) {
    return failure instanceof DeadlineExceededException
        || failure instanceof OpenSearchRejectedExecutionException
        || failure instanceof CircuitBreakingException
        || failure instanceof TaskCancelledException
        || failure instanceof PassThroughException;
  }

  private static void run(Runnable execute, ActionListener<?> listener) {
    try {
      execute.run();
    } catch (Exception failure) {
      listener.onFailure(failure);
    }
  }

  private void requireVersion() {
    if (views.current().state().nodes().getMinNodeVersion().before(MIN_VERSION)) {
      throw new PassThroughException(PassThroughReasons.SECURITY_RULES);
    }
  }

  private SearchPermissions.Requirement requirementOf(
      ActionType<?> action,
      ActionRequest request,
      AuthorizedClient client,
      RequestContext context) {
    if (request instanceof SearchRequest search && action.name().equals(SearchAction.NAME)) {
      return services.searches().of(search, views.current(), client, context.search());
    }
    if (request instanceof SearchScrollRequest && action.name().equals(SearchScrollAction.NAME)) {
      if (client.isRestricted() && context.search().hasOwnFormat()) { // would name hidden fields
        throw new PassThroughException(PassThroughReasons.SECURITY_USER);
      }
      return requirementOfScroll(client, PermissionCheck.ofScroll());
    }
    if (request instanceof ClearScrollRequest && action.name().equals(ClearScrollAction.NAME)) {
      return requirementOfScroll(client, PermissionCheck.ofClearScroll());
    }
    if (request instanceof BulkRequest bulk && action.name().equals(BulkAction.NAME)) {
      return requirementOf(bulk, client.rules());
    }
    if (request instanceof GetRequest get && action.name().equals(GetAction.NAME)) {
      return requirementOf(get.index(), client.rules());
    }
    if (request instanceof IndexRequest document && action.name().equals(IndexAction.NAME)) {
      return requirementOf(
          document.index(),
          client.rules(),
          PermissionCheck.ofIndex(document.index()),
          PermissionCheck.ofBulk());
    }
    if (request instanceof DeleteRequest document && action.name().equals(DeleteAction.NAME)) {
      return requirementOf(
          document.index(),
          client.rules(),
          PermissionCheck.ofDelete(document.index()),
          PermissionCheck.ofBulk());
    }
    throw new PassThroughException(PassThroughReasons.SECURITY_ACTION);
  }

  /** Each node compares the user with the one who opened the scroll. */
  private static SearchPermissions.Requirement requirementOfScroll(
      AuthorizedClient client, PermissionCheck check) {
    if (client.isRestricted() && !client.isRestrictedByDataNodes()) {
      throw new PassThroughException(PassThroughReasons.SECURITY_USER);
    }
    return new SearchPermissions.Requirement(Set.of(), List.of(check));
  }

  /** The node that gets the request authorizes it as well; for gets that is all. */
  private SearchPermissions.Requirement requirementOf(
      String index, SecurityRules rules, PermissionCheck... checks) {
    requireOrdinaryIndex(index, rules);
    return new SearchPermissions.Requirement(Set.of(), List.of(checks));
  }

  /** Leaves indices to nodes that they may treat in ways of their own. */
  private void requireOrdinaryIndex(@Nullable String name, SecurityRules rules) {
    IndexAbstraction index =
        name == null ? null : views.current().state().metadata().getIndicesLookup().get(name);
    boolean isAppendOnly =
        index != null && index.getWriteIndex() != null && index.getWriteIndex().isAppendOnlyIndex();
    if (name == null || rules.isSpecial(name) || isAppendOnly) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
  }

  /** The node of each shard checks the items that it gets: {@code AuthorizedBulkCall}. */
  private SearchPermissions.Requirement requirementOf(BulkRequest bulk, SecurityRules rules) {
    String last = null;
    for (DocWriteRequest<?> item : bulk.requests()) {
      if (item.index() == null || !item.index().equals(last)) {
        last = item.index();
        requireOrdinaryIndex(last, rules);
      }
    }
    return new SearchPermissions.Requirement(Set.of(), List.of(PermissionCheck.ofBulk()));
  }
}
