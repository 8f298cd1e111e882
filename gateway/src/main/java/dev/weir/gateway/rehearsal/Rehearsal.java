package dev.weir.gateway.rehearsal;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Sends all rehearsal requests to a gateway in this JVM. */
public final class Rehearsal {
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration MAX_DURATION = Duration.ofSeconds(90);
  private static final int CLIENTS = 4;
  private static final int ROUNDS = 50;

  private static final List<String> ADMIN_PAGES =
      List.of("/readyz", "/livez", "/metrics", "/stats", "/routing");

  private static final String POLICY =
      """
      clusters: {rehearsal: {seeds: ["127.0.0.1:%d"], authorization: none}}
      http: {listen: "127.0.0.1:0"}
      admin: {listen: "127.0.0.1:0"}
      observability: {log-level: warn}
      """;

  /** A gateway that the rehearsal has started. */
  public interface RunningGateway extends AutoCloseable {
    /** The address of the REST port. */
    InetSocketAddress restAddress();

    /** The address of the admin port. */
    InetSocketAddress adminAddress();

    /** Waits until the gateway is ready. Returns false when the time is up before. */
    boolean awaitReady(Duration atMost) throws InterruptedException;

    @Override
    void close();
  }

  /** Starts a gateway. */
  @FunctionalInterface
  public interface GatewayStarter {
    /** Starts a gateway with this policy. */
    RunningGateway start(GatewayPolicy policy) throws IOException;
  }

  private final Set<String> problems = new LinkedHashSet<>();

  private Rehearsal() {}

  /**
   * Runs the rehearsal.
   *
   * @param starter starts the gateway
   * @param share the share of each request's repetitions, 0 to 1; each is sent once at least
   * @return the differences from the recording; empty without any
   */
  public static Set<String> run(GatewayStarter starter, double share)
      throws IOException, InterruptedException {
    Rehearsal rehearsal = new Rehearsal();
    try (ReplayNode node = ReplayNode.start(TransportRecording.load())) {
      LoadResult policy =
          new PolicyLoader(Map.of()).parse("rehearsal", POLICY.formatted(node.port()));
      if (!(policy instanceof LoadResult.Loaded(GatewayPolicy loaded, _))) {
        throw new IllegalStateException("got " + policy + " (expected: a policy)");
      }
      try (RunningGateway gateway = starter.start(loaded)) {
        if (gateway.awaitReady(READY_TIMEOUT)) {
          rehearsal.runAgainst(gateway, share);
        } else {
          rehearsal.report("the gateway was not ready after " + READY_TIMEOUT.toSeconds() + " s");
        }
      }
      if (!rehearsal.problems.isEmpty()) {
        node.unanswered().forEach(request -> rehearsal.report("no answer recorded: " + request));
      }
    }
    return rehearsal.problems;
  }

  private synchronized void report(String problem) {
    problems.add(problem);
  }

  private void runAgainst(RunningGateway gateway, double share)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + MAX_DURATION.toNanos();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(
          Thread.ofPlatform()
              .name("rehearsal-" + i)
              .start(() -> sendRequests(gateway.restAddress(), share / CLIENTS, end)));
    }
    for (Thread client : clients) {
      client.join();
    }
    for (String page : ADMIN_PAGES) {
      try (Client client = new Client(gateway.adminAddress())) {
        check(new RehearsalRequest(page, "GET", page, "", 200, 1), client);
      }
    }
  }

  /** Sends every request in turn, with a part of its repetitions in each round. */
  private void sendRequests(InetSocketAddress address, double share, long end) {
    try (Client client = new Client(address)) {
      for (int round = 0; round < ROUNDS && System.nanoTime() < end; round++) {
        for (RehearsalRequest request : RehearsalRequest.allRequests()) {
          double times = request.repetitions() * share;
          long now = Math.round(times * (round + 1) / ROUNDS) - Math.round(times * round / ROUNDS);
          for (long left = round == 0 ? Math.max(1, now) : now; left > 0; left--) {
            check(request, client);
          }
        }
      }
    } catch (IOException e) {
      report("a client broke off: " + e);
    }
  }

  private void check(RehearsalRequest request, Client client) throws IOException {
    int status = client.exchange(request.toHttpBytes());
    if (status != request.status()) {
      report(
          "%s: got status %d (expected: %d)".formatted(request.name(), status, request.status()));
    }
  }

  /** One connection, one request at a time. */
  private static final class Client implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Client(InetSocketAddress address) throws IOException {
      socket = new Socket(address.getAddress(), address.getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout((int) READY_TIMEOUT.toMillis());
      in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    int exchange(byte[] request) throws IOException {
      socket.getOutputStream().write(request);
      String first = line();
      long length = 0;
      for (String header = line(); !header.isEmpty(); header = line()) {
        String lower = header.toLowerCase(Locale.ROOT);
        if (lower.startsWith("content-length:")) {
          length = Long.parseLong(lower.substring(lower.indexOf(':') + 1).strip());
        }
      }
      in.skipNBytes(length);
      return first.length() < 12 ? 0 : Integer.parseInt(first, 9, 12, 10);
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
        if (b != '\r') {
          line.append((char) b);
        }
      }
      return line.toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
