package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;

/**
 * Carries the next page of a scroll through its two rounds. Leaves failed shards out as long as one
 * succeeds. Confined to the request's event loop.
 */
public final class ScrollCoordinator {
  private final ScrollWork work;
  private final RequestContext context;
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;

  private ScrollCoordinator(
      CoordinationServices environment, ScrollWork work, RequestContext context) {
    this.work = work;
    this.context = context;
    this.calls = new OutstandingCalls(environment, context);
    this.cancellation = new SearchCancellation(calls, environment.scheduler());
  }

  /** Starts; the work tells the client the outcome. */
  public static void start(
      CoordinationServices environment, ScrollWork work, RequestContext context) {
    ScrollCoordinator scroll = new ScrollCoordinator(environment, work, context);
    scroll.cancellation.setWork(work);
    context.onCancel(() -> scroll.cancellation.cancel(String.valueOf(context.cancelReason())));
    scroll.query(work.createQueryRound());
  }

  private <R> void query(NodeRound<R> round) {
    new NodeFanOut<>(round, calls, cancellation::checkCancelled, all -> queried(round, all))
        .start();
  }

  private void queried(NodeRound<?> round, NodeFanOut<?> fanOut) {
    if (fanOut.failedShards() == round.callCount()) {
      done(() -> work.failAllShards(round.name()));
      return;
    }
    NodeRound<?> fetch;
    try {
      fetch = work.createFetchRound();
    } catch (RuntimeException e) {
      done(() -> work.fail(e));
      return;
    }
    fetch(fetch, round.callCount() - fanOut.failedShards());
  }

  private <R> void fetch(NodeRound<R> round, int queried) {
    new NodeFanOut<>(
            round,
            calls,
            cancellation::checkCancelled,
            all -> fetched(round, queried - all.failedShards()))
        .start();
  }

  private void fetched(NodeRound<?> round, int successful) {
    if (successful == 0) {
      done(() -> work.failAllShards(round.name()));
    } else {
      done(() -> work.respond(successful));
    }
  }

  private void done(Runnable tell) {
    cancellation.end();
    context.response().addHeaders(calls.responseHeaders());
    tell.run();
  }
}
