package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryLedger;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.bluegreen.shadow.Shadowing.Asked;
import dev.weir.model.AnswerParts;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats reads on another cluster and has the answers compared, as far as there is room: whatever
 * there is no room for is left out, and counted. Safe on any thread; never blocks.
 */
public final class ShadowDesk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowDesk.class);
  private static final double PERCENT = 100;

  private final Function<String, @Nullable Target> targets;
  private final Surroundings around;
  private final Listener listener;
  private final MemoryLedger memory;
  private final ShadowReport report;
  private final Comparer comparer;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<ShadowRun> runs = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A cluster that reads are repeated on. */
  public interface Target {
    /** Its name in the configuration. */
    String cluster();

    /** Carries requests out, without asking whether clients' requests leave room for that. */
    RequestHandler handler();

    /**
     * Path and query as this cluster knows them.
     *
     * @param uri as the client sent them
     * @return null where they can't be said there
     */
    default @Nullable String uri(String uri) {
      return uri;
    }

    /** Whether it has other names for indices that the body of a request may name. */
    default boolean renamesBody(String askedUri) {
      return false;
    }

    /** The way through to its nodes; null for none. */
    default @Nullable Nodes nodes() {
      return null;
    }

    /**
     * A copy of a request's body as this cluster knows it.
     *
     * @param asked as the client sent it
     * @return null where it can't be said there
     */
    default @Nullable ByteBuffer body(
        String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
      return KeptRequest.copied(asked);
    }
  }

  /** The way through to the nodes of a cluster, which check by themselves who asks. */
  @FunctionalInterface
  public interface Nodes {
    /**
     * Sends a request. Called on its home, where its answer is heard.
     *
     * @return stops it; used on its home
     */
    Runnable send(HttpExchange request, AnswerParts answer);
  }

  /**
   * A way to a cluster for one read.
   *
   * @param uri path and query as it knows them
   */
  record Way(Target to, String uri) {}

  /** Hears of comparisons that came to something. On the thread that compares. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Two answers were compared.
     *
     * @param policy the name of the policy that the read went by
     */
    void compared(String policy, boolean different);
  }

  /** Runs something later. Safe on any thread. */
  @FunctionalInterface
  public interface Timer {
    /**
     * Runs {@code action} on {@code home} once {@code delay} has passed, unless it is called off.
     *
     * @return calls it off; used on {@code home}
     */
    Runnable after(Duration delay, Executor home, Runnable action);
  }

  /**
   * What it works with.
   *
   * @param busy whether clients' requests leave no room
   * @param loops gives a home, which runs one task at a time: another one with each call
   * @param memory opens what a repeated read may hold beside its copies
   * @param nanoClock such as {@link System#nanoTime()}
   * @param wallMillis the time of day
   * @param random from 0, to below 1
   */
  public record Surroundings(
      BooleanSupplier busy,
      Supplier<? extends Executor> loops,
      Function<KeptRequest, RequestMemory> memory,
      Timer timer,
      LongSupplier nanoClock,
      LongSupplier wallMillis,
      DoubleSupplier random) {}

  /**
   * Makes it.
   *
   * @param targets clusters by their names; null for one that can't be reached
   * @param mostBytes that copies of requests and answers may take together
   * @param listener hears what comparisons came to
   */
  public ShadowDesk(
      Function<String, @Nullable Target> targets,
      long mostBytes,
      Surroundings around,
      Listener listener) {
    this.targets = targets;
    this.listener = listener;
    this.around = around;
    this.memory = new MemoryLedger(mostBytes);
    this.report = new ShadowReport(around.nanoClock(), around.wallMillis());
    this.comparer = new Comparer();
  }

  /** What came of it. */
  public ShadowReport report() {
    return report;
  }

  /** Repeated reads that are under way; zero at rest. */
  public int underWay() {
    return underWay.get();
  }

  /** Bytes of copies that are held; zero at rest. */
  public long held() {
    return memory.held();
  }

  /** Pairs of answers that wait to be compared, and the one that is; zero at rest. */
  public int comparing() {
    return comparer.waiting();
  }

  long now() {
    return around.nanoClock().getAsLong();
  }

  /** Whether a read is drawn to be repeated. */
  boolean draws(ShadowPolicy policy) {
    return !closed && around.random().getAsDouble() * PERCENT < policy.percent();
  }

  /**
   * Where a read that was drawn is repeated; null where it is not.
   *
   * @param askedUri path and query as its client sent them
   */
  @Nullable Way choose(ShadowPolicy policy, String askedUri, long bodyLength) {
    Target target = targets.apply(policy.to());
    if (target == null) {
      report.shed(Shed.UNREACHABLE);
    } else if (around.busy().getAsBoolean()) {
      report.shed(Shed.BUSY);
    } else if (bodyLength > policy.maxBody().bytes()) {
      report.shed(Shed.LONG_BODY);
    } else {
      String uri = target.uri(askedUri);
      if (uri != null) {
        return new Way(target, uri);
      }
      report.shed(Shed.UNSAYABLE);
    }
    return null;
  }

  /**
   * Chooses the way of a read that passed through, whose body was seen as a node got it.
   *
   * @param from the cluster that it went to
   * @param bodyLength as announced; negative when it is not known
   */
  @Nullable Way choose(ShadowPolicy policy, String from, String askedUri, long bodyLength) {
    Way way = choose(policy, askedUri, bodyLength);
    if (way == null || bodyLength == 0) {
      return way;
    }
    Target first = targets.apply(from);
    if (first == null || first.renamesBody(askedUri)) {
      report.shed(Shed.RENAMED_BODY);
      return null;
    }
    return way;
  }

  /**
   * Copies a request for a cluster; null where that can't be: then it is told why. Whoever has it
   * gives it back once. A defect is this copy's own.
   */
  @Nullable KeptRequest keep(HttpExchange exchange, Target to) {
    long expected = exchange.askedBody().remaining();
    if (!memory.tryTake(expected, 0)) {
      report.shed(Shed.MEMORY);
      return null;
    }
    KeptRequest kept = null;
    try {
      ByteBuffer body = to.body(exchange.askedUri(), exchange.headers(), exchange.askedBody());
      kept = body == null ? null : KeptRequest.of(exchange, body);
      if (kept == null) {
        report.shed(Shed.UNSAYABLE);
      }
    } catch (RuntimeException e) {
      LOG.error("can't copy {} {} for another cluster", exchange.method(), exchange.uri(), e);
      report.shed(Shed.FAILED);
    }
    settle(expected, kept);
    return kept;
  }

  /** Pays for a copy what it takes, of which some bytes are paid already; null: for nothing. */
  void settle(long paid, @Nullable KeptRequest kept) {
    long more = (kept == null ? 0 : kept.bytes()) - paid;
    if (more >= 0) {
      memory.takeAnyway(more);
    } else {
      memory.giveBack(-more);
    }
  }

  void giveBack(KeptRequest kept) {
    memory.giveBack(kept.bytes());
  }

  /**
   * The client has its answer: repeats the request elsewhere, where there is room.
   *
   * @param kept is taken
   * @param reply is read until this returns
   */
  void answered(Asked asked, KeptRequest kept, HttpReply reply, long took) {
    int most = Math.toIntExact(asked.policy().maxBody().bytes());
    repeat(asked, kept, () -> see(asked.kind(), reply, took, most));
  }

  /**
   * The same for a request that a node answered.
   *
   * @param kept is taken
   * @param primary is taken
   */
  void answered(Asked asked, KeptRequest kept, SeenAnswer primary) {
    AtomicBoolean taken = new AtomicBoolean();
    repeat(
        asked,
        kept,
        () -> {
          taken.set(true);
          return primary;
        });
    if (!taken.get()) {
      giveBack(primary);
    }
  }

  private void repeat(Asked asked, KeptRequest kept, Supplier<@Nullable SeenAnswer> answer) {
    Shed why = null;
    try {
      why = room(asked.policy());
      if (why == null) {
        why = begin(asked, kept, answer.get());
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      LOG.error("can't repeat {} {}", kept.method(), kept.uri(), e);
      why = Shed.FAILED;
    }
    if (why != null) {
      giveBack(kept);
      report.shed(why);
    }
  }

  private @Nullable Shed room(ShadowPolicy policy) {
    if (closed) {
      return Shed.CLOSING;
    }
    if (around.busy().getAsBoolean()) {
      return Shed.BUSY;
    }
    return underWay.get() >= policy.maxInFlight() ? Shed.IN_FLIGHT : null;
  }

  /** Begins it, and owns what was kept then; or says why not. */
  private @Nullable Shed begin(Asked asked, KeptRequest kept, @Nullable SeenAnswer primary) {
    if (primary == null) {
      return Shed.MEMORY;
    }
    if (underWay.incrementAndGet() > asked.policy().maxInFlight()) {
      underWay.decrementAndGet();
      giveBack(primary);
      return Shed.IN_FLIGHT;
    }
    ShadowRun run = made(asked, kept, primary);
    runs.add(run);
    run.begin();
    if (closed) {
      run.cancel();
    }
    return null;
  }

  private ShadowRun made(Asked asked, KeptRequest kept, SeenAnswer primary) {
    boolean made = false;
    try {
      ShadowRun run = new ShadowRun(this, asked, kept, primary);
      made = true;
      return run;
    } finally {
      if (!made) {
        underWay.decrementAndGet();
        giveBack(primary);
      }
    }
  }

  /** Copies an answer; null where there is no room. */
  @Nullable SeenAnswer see(ReadKind kind, HttpReply reply, long took, int most) {
    long length = kind == ReadKind.EXISTS ? 0 : reply.body().length();
    if (length > most) {
      return new SeenAnswer(reply.status(), reply.contentType(), null, took);
    }
    if (!memory.tryTake(length, 0)) {
      return null;
    }
    boolean copied = false;
    try {
      byte[] body = length == 0 ? new byte[0] : reply.body().bytes();
      copied = true;
      return new SeenAnswer(reply.status(), reply.contentType(), body, took);
    } finally {
      if (!copied) {
        memory.giveBack(length);
      }
    }
  }

  void giveBack(SeenAnswer answer) {
    byte[] body = answer.body();
    memory.giveBack(body == null ? 0 : body.length);
  }

  /** Pays for copies. */
  MemoryLedger memory() {
    return memory;
  }

  Surroundings around() {
    return around;
  }

  Listener listener() {
    return listener;
  }

  Comparer comparer() {
    return comparer;
  }

  boolean closed() {
    return closed;
  }

  /** A repeated read has ended. */
  void ended(ShadowRun run) {
    if (runs.remove(run)) {
      underWay.decrementAndGet();
    }
  }

  /** Stops what is under way; begins nothing more. */
  @Override
  public void close() {
    closed = true;
    runs.forEach(ShadowRun::cancel);
    comparer.close();
  }
}
