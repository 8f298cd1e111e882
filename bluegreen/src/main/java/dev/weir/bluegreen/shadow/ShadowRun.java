package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Shadowing.Asked;
import dev.weir.bluegreen.shadow.Verdict.Reason;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.Shown;
import java.time.Duration;
import java.util.function.BooleanSupplier;
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
 *     |  `--needs a node--> at a node --answer--^
 *     `--------------------------`-----------> left out, or not comparable
 * </pre>
 */
final class ShadowRun implements Runnable, NodeLeg.Ended {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowRun.class);

  /** For so long an answer is waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final int UNAVAILABLE = 503;
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
  private boolean ended;
  private @Nullable NodeLeg leg;
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
    inner.onHome(() -> {
      if (leg != null) {
        leg.stop();
      }
    });
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
                  cancel();
                });
    if (asked.by() != Shadowing.By.NODE) {
      asked.way().to().handler().handle(exchange);
    } else if (!goesToNode(exchange)) {
      exchange.passThrough("no-way");
    }
  }

  /** Has a node of the other cluster answer, where that is wanted; whether one does. */
  private boolean goesToNode(HttpExchange exchange) {
    boolean may = asked.policy().passThrough() && asked.by() != Shadowing.By.GATEWAY;
    ShadowDesk.Nodes nodes = may ? asked.way().to().nodes() : null;
    if (nodes == null || leg != null || late || desk.closed()) {
      return false;
    }
    NodeLeg begun = new NodeLeg(new AnswerCopy(desk.memory(), most()), this);
    leg = begun;
    begun.begin(nodes, exchange);
    return true;
  }

  private int most() {
    return Math.toIntExact(asked.policy().maxBody().bytes());
  }

  private void over(InnerExchange.Outcome outcome) {
    InnerExchange.Outcome last = outcome;
    try {
      if (outcome instanceof InnerExchange.Outcome.PassedThrough && goesToNode(inner)) {
        return;
      }
    } catch (RuntimeException | AssertionError e) {
      last = new InnerExchange.Outcome.Failed(e);
    }
    InnerExchange.Outcome settled = last;
    ends(() -> settle(settled), settled::discard);
  }

  @Override
  public void answered(AnswerCopy answer) {
    long took = desk.now() - begunNanos;
    ends(() -> compare(answer.seen(took)), () -> {});
  }

  @Override
  public void broken(int status) {
    ends(() -> settle(status), () -> {});
  }

  /**
   * It is over.
   *
   * @param settled whether it was handed on to be compared
   * @param then releases what that has read
   */
  private void ends(BooleanSupplier settled, Runnable then) {
    if (ended) {
      return;
    }
    ended = true;
    noLongerLate.run();
    boolean handed = false;
    try {
      handed = settled.getAsBoolean();
    } finally {
      then.run();
      desk.ended(this);
      if (!handed) {
        giveBack();
      }
    }
  }

  private boolean settle(int brokenStatus) {
    if (brokenStatus == 0) {
      return late ? incomparable(Reason.LATE) : leftOut(Shed.CLOSING);
    }
    return incomparable(
        SeenAnswer.refuses(brokenStatus) && brokenStatus != UNAVAILABLE
            ? Reason.REFUSED
            : Reason.LOST_NODES);
  }

  /** Whether it was handed on to be compared. */
  private boolean settle(InnerExchange.Outcome outcome) {
    return switch (outcome) {
      case InnerExchange.Outcome.Replied(HttpReply reply, boolean lostNodes) ->
          lostNodes ? incomparable(Reason.LOST_NODES) : compare(seen(reply));
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

  private @Nullable SeenAnswer seen(HttpReply reply) {
    return desk.see(asked.kind(), reply, desk.now() - begunNanos, most());
  }

  private boolean compare(@Nullable SeenAnswer seen) {
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
        Findings findings =
            comparison.compare(Decoding.plain(primary, most()), Decoding.plain(seen, most()));
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
