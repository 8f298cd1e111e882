package dev.weir.core.coordinate;

import dev.weir.core.reduce.NodeRound;
import dev.weir.core.reduce.ScrollWork;
import dev.weir.model.RequestContext;

/**
 * Carries the next page of a scroll through its two rounds. Shards that fail are left out as long
 * as one answers. Confined to the request's home.
 */
public final class ScrollCoordinator {
  private final ScrollWork work;
  private final RequestContext context;
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;

  private ScrollCoordinator(Environment environment, ScrollWork work, RequestContext context) {
    this.work = work;
    this.context = context;
    this.calls = new OutstandingCalls(environment, context);
    this.cancellation = new SearchCancellation(calls, environment.delays());
  }

  /** Starts; whoever waits for the page hears of it through the work. */
  public static void start(Environment environment, ScrollWork work, RequestContext context) {
    ScrollCoordinator scroll = new ScrollCoordinator(environment, work, context);
    scroll.cancellation.watch(work);
    context.onCancel(() -> scroll.cancellation.cancel(String.valueOf(context.cancelReason())));
    scroll.query(work.query());
  }

  private <R> void query(NodeRound<R> round) {
    new NodeFanOut<>(round, calls, cancellation::refusal, all -> queried(round, all)).start();
  }

  private void queried(NodeRound<?> round, NodeFanOut<?> fanOut) {
    if (fanOut.lost() == round.calls()) {
      done(() -> work.failAll(round.name()));
      return;
    }
    NodeRound<?> fetch;
    try {
      fetch = work.fetch();
    } catch (RuntimeException e) {
      done(() -> work.fail(e));
      return;
    }
    fetch(fetch, round.calls() - fanOut.lost());
  }

  private <R> void fetch(NodeRound<R> round, int queried) {
    new NodeFanOut<>(
            round, calls, cancellation::refusal, all -> fetched(round, queried - all.lost()))
        .start();
  }

  private void fetched(NodeRound<?> round, int successful) {
    if (successful == 0) {
      done(() -> work.failAll(round.name()));
    } else {
      done(() -> work.answer(successful));
    }
  }

  private void done(Runnable tell) {
    cancellation.end();
    context.addResponseHeaders(calls.responseHeaders());
    tell.run();
  }
}
