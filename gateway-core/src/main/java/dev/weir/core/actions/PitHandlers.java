package dev.weir.core.actions;

import dev.weir.core.actions.contexts.PitIdParser;
import dev.weir.core.coordinate.SingleRoundRunner;
import dev.weir.core.reduce.context.DeletePitRound;
import dev.weir.core.reduce.context.UpdatePitRound;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.PassThroughReasons;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.action.search.CreatePitRequest;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.DeletePitRequest;
import org.opensearch.action.search.DeletePitResponse;
import org.opensearch.action.search.PitSearchContextIdForNode;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.action.ActionListener;

/** Opens and deletes points in time. One that fails to open leaves no search context open. */
final class PitHandlers {
  private static final String ALL = "_all";

  private final SearchActionServices setup;
  private final SearchHandler searchHandler;

  PitHandlers(SearchActionServices setup, SearchHandler runner) {
    this.setup = setup;
    this.searchHandler = runner;
  }

  /** Opens contexts on all shards, then sends each its id and its keep-alive. */
  void create(
      CreatePitRequest request,
      RequestContext context,
      ActionListener<CreatePitResponse> listener) {
    SearchRequest search = SearchInternals.toSearchRequest(request);
    search.setCcsMinimizeRoundtrips(false);
    searchHandler.openPit(
        search,
        context,
        setup.coordination().views().current().settings().search().pitInitKeepAlive(),
        new ActionListener<>() {
          @Override
          public void onResponse(SearchResponse opened) {
            update(request, search, opened, context, listener);
          }

          @Override
          public void onFailure(Exception failure) {
            listener.onFailure(failure);
          }
        });
  }

  private void update(
      CreatePitRequest request,
      SearchRequest search,
      SearchResponse opened,
      RequestContext context,
      ActionListener<CreatePitResponse> listener) {
    if (opened.getTotalShards() == 0 && !(request instanceof InternalPitRequest)) {
      listener.onFailure(missingIdFailure());
      return;
    }
    CreatePitResponse created =
        new CreatePitResponse(
            opened.pointInTimeId(),
            search.getOrCreateAbsoluteStartMillis(),
            opened.getTotalShards(),
            opened.getSuccessfulShards(),
            opened.getSkippedShards(),
            opened.getFailedShards(),
            opened.getShardFailures());
    SearchContextId contexts =
        SearchContextId.decode(setup.registries().writeables(), created.getId());
    UpdatePitRound round =
        new UpdatePitRound(
            caller(context),
            created,
            request.getKeepAlive(),
            List.copyOf(contexts.shards().values()),
            state().nodes(),
            context);
    SingleRoundRunner.start(
        setup.coordination().sender(),
        round,
        context,
        () -> {
          Exception failure = round.failure();
          if (failure == null) {
            listener.onResponse(created);
            return;
          }
          if (context.cancelReason() == null) { // otherwise the search has closed its contexts
            cleanUp(created.getId(), contexts, context);
          }
          listener.onFailure(failure);
        });
  }

  /** A node makes no id for a point in time of no shard, and fails when it then reads the id. */
  @SuppressWarnings("NullAway") // null is what a node reads
  private Exception missingIdFailure() {
    try {
      SearchContextId.decode(setup.registries().writeables(), null);
    } catch (IllegalArgumentException e) {
      return e;
    }
    return new IllegalStateException("got a point in time of no shard (expected: an error)");
  }

  private void cleanUp(String pitId, SearchContextId contexts, RequestContext context) {
    Map<String, List<PitSearchContextIdForNode>> byNode = new HashMap<>();
    collect(pitId, contexts, byNode);
    DeletePitRound round =
        DeletePitRound.forContexts(
            caller(context), byNode, state().nodes(), ActionListener.wrap(() -> {}));
    SingleRoundRunner.start(setup.coordination().sender(), round, context, round::respond);
  }

  void delete(
      DeletePitRequest request,
      RequestContext context,
      ActionListener<DeletePitResponse> listener) {
    List<String> ids = request.getPitIds();
    if (ids.size() == 1 && ALL.equals(ids.getFirst())) {
      throw new PassThroughException(PassThroughReasons.NOT_COORDINATED);
    }
    Map<String, List<PitSearchContextIdForNode>> byNode = new HashMap<>();
    ClusterState state = state();
    PitIdParser.parseAll(setup.registries().writeables(), ids, state.metadata())
        .forEach((id, contexts) -> collect(id, contexts, byNode));
    DeletePitRound round =
        DeletePitRound.forContexts(caller(context), byNode, state.nodes(), listener);
    SingleRoundRunner.start(setup.coordination().sender(), round, context, round::respond);
  }

  private static void collect(
      String pitId, SearchContextId contexts, Map<String, List<PitSearchContextIdForNode>> byNode) {
    for (SearchContextIdForNode context : contexts.shards().values()) {
      byNode
          .computeIfAbsent(context.getNode(), node -> new ArrayList<>())
          .add(new PitSearchContextIdForNode(pitId, context));
    }
  }

  private ClusterState state() {
    return setup.coordination().views().current().state();
  }

  private SearchCaller caller(RequestContext context) {
    return SearchCaller.create(setup.gatewayId(), context.taskId(), context);
  }
}
