package dev.weir.gateway.shadow;

import dev.weir.gateway.shadow.Shadowing.Asked;
import dev.weir.gateway.shadow.Verdict.Reason;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.Shown;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One read on the other cluster, and then its comparison. Owns the copies of the request and of
 * both answers, and gives them back when it ends. Confined to its home until it is handed to the
 * comparer's thread.
 *
 * <pre>
 *   begun --answer--> waits to be compared --> counted
 *     `------------------------`-------------> left out, or not comparable
 * </pre>
 */
final class ShadowRun implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowRun.class);

  /** For so long an answer is waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String POINT_IN_TIME = "\"pit\"";

  private final ShadowDesk desk;
  private final Asked asked;
  private final KeptRequest request;
  private final SeenAnswer primary;
  private final InnerExchange inner;
  private final long begunNanos;
  private Runnable noLongerLate = () -> {};
  private boolean late;
  private boolean bound;
  private @Nullable SeenAnswer shadow;

  ShadowRun(ShadowDesk desk, Asked asked, KeptRequest request, SeenAnswer primary) {
    this.desk = desk;
    this.asked = asked;
    this.request = request;
    this.primary = primary;
    this.begunNanos = desk.now();
    this.inner =
        new InnerExchange(
            request.at(asked.way().uri()),
            desk.around().loops().get(),
            desk.around().memory().apply(request),
            begunNanos,
            this::over);
  }

  /** Sends it. On any thread, once. */
  void begin() {
    inner.begin(this::send);
  }

  /** Stops it. On any thread. */
  void cancel() {
    inner.cancel();
  }

  private void send(HttpExchange exchange) {
    if (request.text().contains(POINT_IN_TIME)) {
      bound = true;
      exchange.drop();
      return;
    }
    noLongerLate =
        desk.around()
            .timer()
            .after(
                PATIENCE,
                inner.home(),
                () -> {
                  late = true;
                  inner.cancel();
                });
    asked.way().to().handler().handle(exchange);
  }

  private void over(InnerExchange.Outcome outcome) {
    noLongerLate.run();
    boolean handed = false;
    try {
      handed = settle(outcome);
    } finally {
      outcome.discard();
      desk.ended(this);
      if (!handed) {
        giveBack();
      }
    }
  }

  /** Whether it was handed on to be compared. */
  private boolean settle(InnerExchange.Outcome outcome) {
    return switch (outcome) {
      case InnerExchange.Outcome.Replied(HttpReply reply, boolean lostNodes) ->
          lostNodes ? incomparable(Reason.LOST_NODES) : compare(reply);
      case InnerExchange.Outcome.Streamed _ -> incomparable(Reason.LONG_ANSWER);
      case InnerExchange.Outcome.PassedThrough _ -> incomparable(Reason.PASSED_THROUGH);
      case InnerExchange.Outcome.Dropped _ -> {
        if (late) {
          yield incomparable(Reason.LATE);
        }
        yield leftOut(bound ? Shed.BOUND : Shed.CLOSING);
      }
      case InnerExchange.Outcome.Failed(Throwable defect) -> {
        LOG.error("handler failed on the repeated {} {}", request.method(), inner.uri(), defect);
        yield leftOut(Shed.FAILED);
      }
    };
  }

  private boolean compare(HttpReply reply) {
    long took = desk.now() - begunNanos;
    SeenAnswer seen =
        desk.see(asked.kind(), reply, took, Math.toIntExact(asked.policy().maxBody().bytes()));
    if (seen == null) {
      return leftOut(Shed.MEMORY);
    }
    shadow = seen;
    if (desk.closed()) {
      return leftOut(Shed.CLOSING);
    }
    return desk.comparer().take(this) || leftOut(Shed.QUEUE);
  }

  private boolean incomparable(Reason why) {
    desk.report().incomparable(asked.kind(), why);
    return false;
  }

  private boolean leftOut(Shed why) {
    desk.report().shed(why);
    return false;
  }

  private void giveBack() {
    desk.giveBack(request);
    desk.giveBack(primary);
    SeenAnswer seen = shadow;
    if (seen != null) {
      desk.giveBack(seen);
    }
  }

  /** It is not compared, as the gateway stops. */
  void forget() {
    leftOut(Shed.CLOSING);
    giveBack();
  }

  /** Compares, on the comparer's thread. */
  @Override
  public void run() {
    SeenAnswer seen = shadow;
    try {
      if (seen != null) {
        AnswerComparison comparison =
            new AnswerComparison(
                asked.kind(),
                new AnswerComparison.Tolerances(
                    asked.policy().tolerances().aggregations(),
                    asked.policy().tolerances().overlap()),
                HitsComparison.Paging.of(request));
        Findings findings = comparison.compare(primary, seen);
        desk.report()
            .compared(
                new ShadowReport.Compared(
                    asked.kind(),
                    asked.whose().cluster(),
                    asked.way().to().cluster(),
                    Shown.request(request.method(), request.uri()),
                    primary.nanos(),
                    seen.nanos()),
                findings);
        switch (findings.verdict()) {
          case Verdict.Same _, Verdict.Similar _ ->
              desk.listener().compared(asked.whose().policy(), false);
          case Verdict.Different _ -> desk.listener().compared(asked.whose().policy(), true);
          case Verdict.NotComparable _ -> {
            // says nothing of the other cluster
          }
        }
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      LOG.error("can't compare the answers to {} {}", request.method(), request.uri(), e);
      incomparable(Reason.FAILED);
    } finally {
      giveBack();
    }
  }
}
