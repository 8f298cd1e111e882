package dev.weir.bench.overload;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Opens many connections that each send half of a request and no more. Keeps as many open as this
 * process may have; the oldest are closed for new ones.
 */
final class StalledConnections {
  private static final int MAX_OPEN = 12_000;
  private static final double MAX_GROWTH_MB = 200;

  /** The small requests' clients connect this long before the stalled connections. */
  private static final long NEIGHBOURS_FIRST_NANOS = 300_000_000;

  private static final byte[] HALF =
      "POST /bench/_search HTTP/1.1\r\nHost: localhost\r\nContent-Le"
          .getBytes(StandardCharsets.US_ASCII);

  /** The number of local addresses: each has its own ports. */
  private static final int SOURCES = 8;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final MeasuredGateway weir;
  private final Deque<SocketChannel> open = new ArrayDeque<>();
  private int opened;
  private int closedByGateway;

  StalledConnections(PrintStream out, ResultChecks verdicts, MeasuredGateway weir) {
    this.out = out;
    this.verdicts = verdicts;
    this.weir = weir;
  }

  void run(int connections, double seconds) {
    BackgroundSearches neighbours = new BackgroundSearches(out, weir, seconds);
    OpenLoopLoad.Result calm = neighbours.run();
    long before = ProcessUsage.read(weir.pid()).residentBytes();
    CompletableFuture<Void> crowd = CompletableFuture.runAsync(() -> crowd(connections));
    OpenLoopLoad.Result beside = neighbours.run();
    crowd.join();
    long most = ProcessUsage.read(weir.pid()).peakResidentBytes();
    out.printf(
        "a crowd of %d half-open connections: %d closed by the gateway, %d open at the end;"
            + " neighbours' p99 %.1f ms (%.1f before); resident %d MB (%d before)%n",
        opened,
        closedByGateway,
        open.size(),
        beside.millis(99),
        calm.millis(99),
        most >> 20,
        before >> 20);
    String title = "a crowd of " + connections;
    verdicts.checkAtMost(title, "neighbours' errors", BackgroundSearches.errorCount(beside), 0);
    verdicts.checkAtMost(
        title, "growth of memory in MB", (double) ((most - before) >> 20), MAX_GROWTH_MB);
    open.forEach(StalledConnections::close);
  }

  private void crowd(int connections) {
    LockSupport.parkNanos(NEIGHBOURS_FIRST_NANOS);
    while (opened < connections) {
      try {
        open.addLast(half(opened % SOURCES));
      } catch (IOException refused) {
        closedByGateway++;
      }
      opened++;
      if (open.size() > MAX_OPEN) {
        SocketChannel oldest = open.removeFirst();
        closedByGateway += closedByPeer(oldest) ? 1 : 0;
        close(oldest);
      }
    }
  }

  private SocketChannel half(int source) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.bind(new InetSocketAddress("127.0.0." + (2 + source), 0));
      channel.connect(weir.address());
      channel.write(ByteBuffer.wrap(HALF));
      channel.configureBlocking(false);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static boolean closedByPeer(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(256)) != 0;
    } catch (IOException reset) {
      return true;
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
