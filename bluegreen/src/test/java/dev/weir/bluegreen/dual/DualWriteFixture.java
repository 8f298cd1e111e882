package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.Deadline;
import dev.weir.model.MemoryRejection;
import dev.weir.model.ReleasableRequests;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Two clusters in memory with dual writes between them, a repair log on disk, and a clock that the
 * test moves. All requests run on one queue, which {@link #settle} empties.
 */
final class DualWriteFixture implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

  final InMemoryCluster blue = new InMemoryCluster();
  final InMemoryCluster green = new InMemoryCluster();
  final DualWriteCounts counts = new DualWriteCounts();
  final ReleasableRequests greenRequests = new ReleasableRequests();
  final ReleasableRequests blueRequests = new ReleasableRequests();
  final Path directory;
  private final RepairLog log;
  private final Queue<Runnable> home = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final ActionExecutor writing;
  private @Nullable IntentRecorder intents;
  private long nowNanos = 1_000_000;
  private DualWriteTarget.@Nullable Unavailable barred;
  private UnaryOperator<String> names = UnaryOperator.identity();
  private Metadata metadata = Metadata.EMPTY_METADATA;
  private long held;
  private long most = Long.MAX_VALUE;

  private record Timer(long atNanos, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      return Long.compare(atNanos, other.atNanos);
    }
  }

  DualWriteFixture(Path directory) {
    this.directory = directory;
    this.log =
        new RepairLog(
            new RollingRepairLogFile(
                directory, Instant.EPOCH, 7, RollingRepairLogFile.MAX_FILE_BYTES),
            System::nanoTime);
    this.writing =
        ExecutionFilter.chain(
            List.of(new DualWriteFilter(blue, context -> target(), counts, means(), blueRequests)),
            blue);
  }

  DualWriteTarget target() {
    return new DualWriteTarget(
        "blue",
        "green",
        barred == null ? new DualWriteTarget.Available(green, greenRequests) : barred,
        new TargetIndexNames(names, () -> metadata),
        TIMEOUT,
        new DualWriteLogs(log, intents));
  }

  DualWriteClocks means() {
    return new DualWriteClocks(delays(), () -> nowNanos, () -> 1_700_000_000_000L);
  }

  private DelayScheduler delays() {
    return (delay, where, action) ->
        timers.add(new Timer(nowNanos + delay.toNanos(), () -> where.execute(action)));
  }

  /** Makes the repair log take nothing more. */
  void closeRepairLog() {
    log.close();
  }

  /** Records writes before they leave. */
  void intents(IntentRecorder recorder) {
    intents = recorder;
  }

  void reachable(boolean now) {
    barred = now ? null : DualWriteTarget.Unavailable.UNREACHABLE;
  }

  /** Rejects all writes to the other cluster. */
  void barred(DualWriteTarget.Unavailable why) {
    barred = why;
  }

  void names(UnaryOperator<String> renamed) {
    names = renamed;
  }

  /** Sets what the gateway knows about the first cluster's security. */
  void metadata(Metadata now) {
    metadata = now;
  }

  /** Sets the memory limit of later requests to zero. */
  void most(long bytes) {
    most = bytes;
  }

  long nowNanos() {
    return nowNanos;
  }

  /** Returns the memory that requests hold now. */
  long held() {
    return held;
  }

  Executor home() {
    return home::add;
  }

  /** Waits until the disk has written everything; the test's clock stands still. */
  private void flush() {
    CountDownLatch taken = new CountDownLatch(1);
    log.append(List.of(), failure -> taken.countDown());
    try {
      assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    settle();
  }

  /** Moves the clock. */
  void pass(Duration time) {
    settle();
    flush();
    passWithoutDisk(time);
  }

  /** Moves the clock while the disk blocks. */
  void passWithoutDisk(Duration time) {
    nowNanos += time.toNanos();
    while (!timers.isEmpty() && timers.peek().atNanos() <= nowNanos) {
      timers.remove().action().run();
    }
    settle();
  }

  /** Runs all queued tasks. */
  void settle() {
    for (Runnable task = home.poll(); task != null; task = home.poll()) {
      task.run();
    }
  }

  /** Runs queued tasks until a condition holds that another thread fulfils. */
  void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    settle();
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(100_000);
      settle();
    }
    assertThat(condition.getAsBoolean()).as("came about in time").isTrue();
  }

  /** A request and the response that its client receives. */
  static final class PendingRequest<R> implements ActionListener<R> {
    final RequestContext context;
    @Nullable R response;
    @Nullable Exception failure;
    int answers;

    PendingRequest(RequestContext context) {
      this.context = context;
    }

    @Override
    public void onResponse(R answer) {
      response = answer;
      answers++;
    }

    @Override
    public void onFailure(Exception why) {
      failure = why;
      answers++;
    }

    boolean isAnswered() {
      return answers > 0;
    }
  }

  RequestContext context() {
    RequestContext context = new RequestContext(home(), 1, Map.of());
    context
        .resources()
        .setMemory(
            new RequestMemory() {
              @Override
              public @Nullable MemoryRejection reserve(
                  Category item, long bytes, Supplier<List<String>> growth) {
                if (held + bytes > most) {
                  return new MemoryRejection(
                      item, bytes, held + bytes, most, "a test", false, List.of(), List.of());
                }
                held += bytes;
                return null;
              }

              @Override
              public void forceReserve(Category item, long bytes) {
                held += bytes;
              }

              @Override
              public void release(Category item, long bytes) {
                held -= bytes;
              }
            });
    return context;
  }

  /** Sends a request without running queued tasks. */
  <R extends ActionResponse> PendingRequest<R> ask(ActionType<R> action, ActionRequest request) {
    return ask(action, request, Deadline.NONE);
  }

  /** Sends a request with a deadline. */
  <R extends ActionResponse> PendingRequest<R> ask(
      ActionType<R> action, ActionRequest request, Deadline deadline) {
    PendingRequest<R> asked = new PendingRequest<>(context());
    asked.context.limitDeadline(deadline);
    asked.context.eventLoop().execute(() -> writing.execute(action, request, asked.context, asked));
    settle();
    return asked;
  }

  /** Sends a request and waits for its response. */
  <R extends ActionResponse> PendingRequest<R> answered(
      ActionType<R> action, ActionRequest request) {
    PendingRequest<R> asked = ask(action, request);
    until(asked::isAnswered);
    return asked;
  }

  /** Returns the entries of the repair log. */
  List<RepairEntry> logged() {
    List<RepairEntry> entries = new ArrayList<>();
    try {
      for (RepairLogFile file : RepairLogFile.listPending(directory)) {
        entries.addAll(RepairFixture.entriesOf(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return entries;
  }

  /** Returns the log's entries of documents, as {@code op id version type}. */
  List<String> loggedDocuments() {
    return logged().stream()
        .map(RepairEntry.DocumentEntry.class::cast)
        .map(entry ->
            entry.op().label()
                + " "
                + entry.document().id()
                + " "
                + entry.version()
                + " "
                + entry.cause().type())
        .toList();
  }

  @Override
  public void close() {
    log.close();
  }
}
