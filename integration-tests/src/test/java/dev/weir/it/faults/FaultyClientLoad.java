package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients that send random requests and misbehave at random: they disconnect at any moment, wait
 * too briefly, exceed the rate limits, and send nonsense. The load counts the responses by status
 * and keeps those that a gateway must never send.
 */
final class FaultyClientLoad {
  /** Limits so low that all of them are reached. */
  static final String POLICY =
      """
      admission:
        max-total-body-bytes: 16mb
        tenants: {source: header, header: X-Tenant}
        request-memory: {max-bytes: 2mb}
        queue: {min-in-flight-per-node: 2, max-in-flight-per-node: 2, max-waiting: 3, max-wait: 200ms}
        coalescing: {indices: ["trouble*"]}
        pacing:
          rules:
            - {name: held, tenants: [held], requests-per-second: 20, max-burst-requests: 1, max-delay: 1s}
            - {name: strict, tenants: [strict], requests-per-second: 1, max-delay: 0s}
            - {name: bytes, tenants: [held], bytes-per-second: 1mb, max-burst-bytes: 10kb, max-delay: 1s}
      """;

  private static final int CLIENTS = 12;
  private static final int LEAST_TIMES = 10;

  /** The client events that must occur. */
  private static final List<String> COUNTED =
      List.of(
          "left before the body",
          "left in the body",
          "left without an answer",
          "left while reading",
          "status 200",
          "status 400",
          "status 408",
          "status 429");

  /** The gateway counters that must increase. */
  private static final List<String> MEASURED =
      List.of(
          "deadlines.exceeded",
          "deadlines.ban_removals",
          "request_memory.rejections.request",
          "coalescing.saved_searches",
          "pacing.rules.delayed",
          "pacing.rules.rejected",
          "queues.search.delayed_requests",
          "queues.search.rejections.count");

  private static final int LONGEST_WAIT_NANOS = 15_000_000;

  /** Responses that no client error or node failure can explain. */
  private static final Set<String> MISTAKES =
      Set.of(
          "null_pointer_exception",
          "illegal_state_exception",
          "class_cast_exception",
          "index_out_of_bounds_exception",
          "array_index_out_of_bounds_exception",
          "no_such_element_exception",
          "assertion_error");

  private final TestBed bed;
  private final String index;
  private final Map<String, LongAdder> happened = new ConcurrentHashMap<>();
  private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> troubles = new ConcurrentLinkedQueue<>();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean stopping;

  private FaultyClientLoad(TestBed bed, String index) {
    this.bed = bed;
    this.index = index;
  }

  /** Starts clients on an index with {@link RandomRequests#documents()}. */
  static FaultyClientLoad start(TestBed bed, String index, SplittableRandom random) {
    FaultyClientLoad load = new FaultyClientLoad(bed, index);
    for (int i = 0; i < CLIENTS; i++) {
      SplittableRandom own = random.split();
      load.clients.add(Thread.ofVirtual().start(() -> load.run(own)));
    }
    return load;
  }

  private void run(SplittableRandom random) {
    try (Client client = new Client(random)) {
      while (!stopping) {
        client.ask();
      }
    } catch (IOException | RuntimeException | AssertionError e) {
      troubles.add(e);
    }
  }

  private void count(String what) {
    happened.computeIfAbsent(what, name -> new LongAdder()).increment();
  }

  /**
   * Returns the events that have not occurred often enough; with node losses if they are injected.
   */
  List<String> findMissing(boolean disconnects) {
    JsonResponse stats = JsonResponse.of(bed.admin().send("GET", "/stats").orThrow());
    List<String> missing = new ArrayList<>();
    for (String what : COUNTED) {
      long times = happened.getOrDefault(what, new LongAdder()).sum();
      if (times < LEAST_TIMES) {
        missing.add(what + " " + times + " times");
      }
    }
    List<String> measured = new ArrayList<>(MEASURED);
    if (disconnects) {
      measured.add("nodes.disconnects");
    }
    measured.stream().filter(field -> sum(stats.at(field)) == 0).forEach(missing::add);
    return missing;
  }

  private static long sum(@Nullable Object numbers) {
    return switch (numbers) {
      case Number number -> number.longValue();
      case List<?> several -> several.stream().mapToLong(FaultyClientLoad::sum).sum();
      case null, default -> 0;
    };
  }

  /** Returns whether a client has failed. */
  boolean failed() {
    return !troubles.isEmpty();
  }

  /** Stops the load and asserts that no client got a response that a gateway must never send. */
  void stop() throws InterruptedException {
    stopping = true;
    for (Thread client : clients) {
      client.join();
    }
    assertThat(troubles).isEmpty();
    assertThat(mistakes).isEmpty();
  }

  /** One client. */
  private final class Client implements AutoCloseable {
    private final SplittableRandom random;
    private final RandomRequests requests;
    private RawConnection wire = new RawConnection(bed.uri());

    Client(SplittableRandom random) throws IOException {
      this.random = random;
      this.requests = new RandomRequests(index, random);
    }

    void ask() throws IOException {
      RandomRequests.Ask ask = requests.next();
      switch (random.nextInt(20)) {
        case 0 -> {
          String head = head(ask, "");
          wire.send(head.substring(0, random.nextInt(head.length())));
          leave("left before the body");
        }
        case 1 -> {
          wire.send(head(ask, "") + ask.body().substring(0, ask.body().length() / 2));
          pause();
          leave(ask.body().isEmpty() ? "left without an answer" : "left in the body");
        }
        case 2, 3 -> {
          wire.send(head(ask, "") + ask.body());
          pause();
          leave("left without an answer");
        }
        case 4 -> {
          RandomRequests.Ask page = requests.page();
          wire.send(head(page, "") + page.body());
          wire.begin();
          pause();
          leave("left while reading");
        }
        case 5, 6, 7 -> answer(ask, "X-Weir-Timeout: " + random.nextInt(1, 40) + "ms\r\n");
        case 8 -> answer(ask, "X-Tenant: held\r\n");
        case 9 -> answer(ask, "X-Tenant: strict\r\n");
        default -> answer(ask, "");
      }
    }

    private static String head(RandomRequests.Ask ask, String more) {
      return RawConnection.head(ask.method(), ask.target(), ask.type(), ask.body(), more);
    }

    private void pause() {
      LockSupport.parkNanos(random.nextInt(LONGEST_WAIT_NANOS));
    }

    private void leave(String when) throws IOException {
      wire.close();
      count(when);
      wire = new RawConnection(bed.uri());
    }

    private void answer(RandomRequests.Ask ask, String more) throws IOException {
      JsonResponse answer = wire.send(head(ask, more) + ask.body()).readResponse();
      requests.onResponse(answer);
      count("status " + answer.status());
      boolean read = !Set.of(408, 429).contains(answer.status()) && answer.status() < 500;
      boolean late = answer.toString().contains("the deadline of");
      boolean wrong =
          read ? ask.invalid() != (answer.status() == 400) : late && answer.status() >= 500;
      if (wrong
          || MISTAKES.contains(answer.text("error.type"))
          || MISTAKES.contains(answer.text("error.caused_by.type"))) {
        mistakes.add(ask.method() + " " + ask.target() + " " + more.strip() + ": " + answer);
      }
    }

    @Override
    public void close() throws IOException {
      wire.close();
    }
  }
}
