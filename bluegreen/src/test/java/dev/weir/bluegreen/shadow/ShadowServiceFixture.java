package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.HttpExchange;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.model.RouteFilter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A shadow service with a scripted event loop, timers and random draws, in front of the clusters
 * "green" and "renaming". Closing it checks that no memory is held.
 */
final class ShadowServiceFixture implements AutoCloseable {
  static final String COUNT = "{\"count\":%d}";
  static final SocketAddress SOMEWHERE = InetSocketAddress.createUnresolved("host", 1);
  static final Map.Entry<String, String> CREDENTIALS = Map.entry("Authorization", "Basic eDp5");

  final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  final List<HttpExchange> coordinated = new ArrayList<>();
  final List<CapturedNodeRequest> sent = new ArrayList<>();
  RequestRouter.Decision decision = new RequestRouter.PassThrough("security");
  double drawn;
  boolean hasNodes = true;

  String first = "blue";
  String target = "green";

  final ShadowTarget green =
      new ShadowTarget() {
        @Override
        public String cluster() {
          return "green";
        }

        @Override
        public RequestHandler handler() {
          return coordinated::add;
        }

        @Override
        public String translateUri(String uri) {
          return uri.replace("/logs/", "/logs-v2/");
        }

        @Override
        public ShadowTarget.@Nullable PassThroughSender passThroughSender() {
          return hasNodes
              ? (request, answer) -> {
                CapturedNodeRequest one = new CapturedNodeRequest(request, answer);
                sent.add(one);
                return () -> one.stopped = true;
              }
              : null;
        }
      };

  final ShadowTarget renaming =
      new RenamingTarget(coordinated::add, Objects.requireNonNull(green.passThroughSender()));

  final ShadowService service =
      new ShadowService(
          name -> name.equals("renaming") ? renaming : green,
          5000,
          new ShadowEnvironment(
              () -> false,
              new ShadowEnvironment.Execution(
                  () -> loop::add,
                  kept -> RequestMemory.UNBOUNDED,
                  (Duration delay, Executor home, Runnable action) -> {
                    Runnable due = () -> home.execute(action);
                    timers.add(due);
                    return () -> timers.remove(due);
                  }),
              new ShadowEnvironment.Clocks(System::nanoTime, () -> 0),
              () -> drawn),
          (policy, different) -> {});

  void run() {
    for (Runnable next = loop.poll(); next != null; next = loop.poll()) {
      next.run();
    }
  }

  void awaitCompared() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (service.pendingComparisons() > 0 && System.nanoTime() < end) {
      Thread.sleep(1);
    }
  }

  ShadowPolicy policy(boolean passThrough) {
    return new ShadowPolicy(
        target, 50, 2, new ByteSize(1000), passThrough, new ShadowPolicy.Tolerances(0.01, 0.99));
  }

  RequestRouter router() {
    return RouteFilter.chain(
        (method, uri) -> decision,
        List.of(
            new PassThroughShadowFilter(
                new ReadSource(first, "logs"), RequestPolicy.NONE, policy(true), service)));
  }

  PassThroughObserver.@Nullable ExchangeObserver observe(
      String method, String uri, List<Map.Entry<String, String>> headers) {
    RequestRouter.PassThrough through = (RequestRouter.PassThrough) router().route(method, uri);
    PassThroughObserver watch = through.observer();
    return watch == null
        ? null
        : watch.observe(
            new PassThroughObserver.Head(
                method, uri, uri, "HTTP/1.1", headers, -1, "acme", SOMEWHERE, SOMEWHERE));
  }

  PassThroughObserver.ExchangeObserver observed(String method, String uri) {
    return Objects.requireNonNull(observe(method, uri, List.of(CREDENTIALS)));
  }

  static void answer(PassThroughObserver.ExchangeObserver read, int status, String... parts) {
    read.onHead(status, "application/json", "");
    for (String part : parts) {
      read.onContent(ByteBuffer.wrap(part.getBytes(UTF_8)));
    }
    read.onComplete();
  }

  long skipped(ShadowSkipReason why) {
    return service.report().skips().get(why.ordinal()).count();
  }

  long notComparable(ComparisonVerdict.Reason why) {
    return service.report().incomparable().get(why.ordinal()).count();
  }

  List<String> verdicts() throws InterruptedException {
    awaitCompared();
    return service.report().verdicts().stream()
        .filter(count -> count.count() > 0)
        .map((Count count) -> count.action() + " " + count.label() + " " + count.count())
        .toList();
  }

  /** Runs all queued tasks and comparisons, then checks that none is left. */
  @Override
  public void close() {
    run();
    try {
      awaitCompared();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    assertThat(service.inFlight()).isZero();
    assertThat(service.heldBytes()).isZero();
    assertThat(service.pendingComparisons()).isZero();
    assertThat(timers).isEmpty();
    service.close();
  }
}
